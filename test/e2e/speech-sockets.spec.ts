import * as official from '@elevenlabs/elevenlabs-js/serialization';
import { request } from 'node:http';
import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { TrafficRecorder } from '../../apps/api/src/observed-traffic/traffic-recorder';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import type { VoiceEngine } from '../../libs/voice-engine/voice-engine';
import { VOICE_ENGINE } from '../../libs/voice-engine/voice-engine.provider';
import { eventually } from '../support/eventually';
import { creditsUsed, makeVoice, voiceOwnerOfFile } from '../support/previews';
import { SENTENCES, TEXT } from '../support/samples';
import { HandshakeRefused, SpeechSocketClient } from '../support/speech-socket';
import { Stack, type IssuedKey } from '../support/stack';

const SENTENCE = 'The harbour was quiet before the first boat came in from the sea. ';
const LONG = SENTENCES.join(' ');

const stack = Stack.ofFile({ worker: false });
const owner = voiceOwnerOfFile(stack);

const issueKey = (options: Parameters<Stack['issueKey']>[0] = {}) =>
  stack.issueKey({ ...options, accountId: owner.accountId });

const urlOf = (query = '', path = 'stream-input', voice = owner.voiceId) =>
  `${stack.baseUrl}/v1/text-to-speech/${voice}/${path}?output_format=pcm_16000&${query}`;

const open = ({ secret }: IssuedKey, query?: string, path?: string) =>
  SpeechSocketClient.open(urlOf(query, path), { 'xi-api-key': secret });

const openMulti = (key: IssuedKey, query?: string) => open(key, query, 'multi-stream-input');

const holdsOf = async ({ accountId }: IssuedKey) =>
  stack.dataSource.query<object[]>('SELECT 1 FROM credit_hold WHERE account_id = $1', [accountId]);

/** Nothing of the account is held, and its ledger is what its key has used. */
async function expectCharged(key: IssuedKey, characters: number): Promise<void> {
  await eventually(async () => expect(await holdsOf(key)).toEqual([]));
  expect(await creditsUsed(stack, key.keyId)).toBe(characters);
}

const audioOf = (socket: SpeechSocketClient, contextId?: string) =>
  eventually(() => {
    expect(socket.audioOf(contextId).length).toBeGreaterThan(0);
    return Promise.resolve();
  });

describe('stream-input', () => {
  it('speaks what is sent bit by bit, charges its characters, and says when it is done', async () => {
    const key = await issueKey();
    const socket = await open(key);
    socket.send({ text: ' ' });
    for (const word of TEXT.split(/(?<= )/)) socket.send({ text: word });
    socket.send({ text: '' });
    expect(await socket.closed).toEqual({ code: 1_000, reason: '' });
    expect(socket.error).toBeUndefined();
    expect(socket.received.filter(({ isFinal }) => isFinal)).toHaveLength(1);
    expect(socket.received.at(-1)).toMatchObject({ audio: null, isFinal: true });
    const secs = socket.audio.length / 32_000;
    expect(secs).toBeGreaterThan(3);
    expect(secs).toBeLessThan(15);
    await expectCharged(key, TEXT.length);
  });

  it('understands the messages of the official JavaScript client, and answers with those that it reads', async () => {
    const key = await issueKey();
    const socket = await SpeechSocketClient.open(urlOf('sync_alignment=true'));
    socket.send(
      official.InitializeConnection.jsonOrThrow({
        text: ' ',
        voiceSettings: { stability: 0.4, similarityBoost: 0.8, speed: 1.1 },
        generationConfig: { chunkLengthSchedule: [50] },
        xiApiKey: key.secret,
      }) as object,
      official.SendText.jsonOrThrow({ text: SENTENCE, tryTriggerGeneration: true }) as object,
      official.SendText.jsonOrThrow({ text: 'And then it rained. ', flush: true }) as object,
      official.CloseConnection.jsonOrThrow({ text: '' }) as object,
    );
    expect((await socket.closed).code).toBe(1_000);
    const final = official.FinalOutput.parseOrThrow(socket.received.at(-1), {
      unrecognizedObjectKeys: 'strip',
    });
    expect(final.isFinal).toBe(true);
    const outputs = socket.received
      .slice(0, -1)
      .map((message) => official.AudioOutput.parseOrThrow(message, { unrecognizedObjectKeys: 'strip' }));
    const chars = outputs.flatMap(({ alignment }) => alignment?.chars ?? []);
    expect(chars.join('')).toBe(`${SENTENCE}And then it rained. `);
    await expectCharged(key, chars.length);
  });

  it('speaks a sentence as soon as it is complete, and the rest when it is flushed', async () => {
    const key = await issueKey();
    const socket = await open(key);
    socket.send({ text: SENTENCE });
    await audioOf(socket);
    const before = socket.audio.length;
    socket.send({ text: 'And then ' }, { text: 'it rained' });
    socket.send({ text: ' ', flush: true });
    await eventually(() => Promise.resolve(expect(socket.audio.length).toBeGreaterThan(before)));
    socket.send({ text: '' });
    await socket.closed;
    await expectCharged(key, `${SENTENCE}And then it rained `.length);
  });

  it('waits for as much text as chunk_length_schedule says, unless auto_mode is on', async () => {
    const key = await issueKey();
    const schedule = { generation_config: { chunk_length_schedule: [100, 400] } };
    const patient = await open(key);
    patient.send({ text: ' ', ...schedule }, { text: SENTENCE });
    const eager = await open(key, 'auto_mode=true');
    eager.send({ text: ' ', ...schedule }, { text: 'Yes. ' });
    await audioOf(eager);
    expect(patient.audio.length).toBe(0);
    patient.send({ text: SENTENCE });
    await audioOf(patient);
    for (const socket of [patient, eager]) socket.webSocket.terminate();
  });

  it('says in milliseconds when each character of a sentence is spoken', async () => {
    const socket = await open(await issueKey(), 'sync_alignment=true');
    socket.send({ text: `${SENTENCE}${SENTENCE}` }, { text: '' });
    await socket.closed;
    const sentences = socket.received.filter(({ alignment }) => alignment);
    expect(sentences.map(({ alignment }) => alignment!.chars.join(''))).toEqual([SENTENCE, SENTENCE]);
    const ends = sentences.map(({ alignment }) => {
      const { charStartTimesMs: starts, charDurationsMs: durations } = alignment!;
      expect(starts).toEqual(starts.toSorted((one, other) => one - other));
      return starts.at(-1)! + durations.at(-1)!;
    });
    const audioMs = socket.audio.length / 32;
    expect(Math.abs(ends[0]! + ends[1]! - audioMs)).toBeLessThan(5);
    expect(sentences[0]!.normalizedAlignment!.chars.join('')).toContain('harbour');
    const without = await open(await issueKey());
    without.send({ text: SENTENCE }, { text: '' });
    await without.closed;
    expect(without.received.every(({ alignment }) => alignment === null || alignment === undefined)).toBe(
      true,
    );
  });

  it.each(['mp3_44100_128', 'mp3_22050_32', 'pcm_24000', 'ulaw_8000'])(
    'audio in %s follows as one recording, in messages that any client accepts',
    async (format) => {
      const key = await issueKey();
      const socket = await SpeechSocketClient.open(urlOf().replace('pcm_16000', format), {
        'xi-api-key': key.secret,
      });
      for (const sentence of SENTENCES) socket.send({ text: `${sentence} `, flush: true });
      socket.send({ text: '' });
      await socket.closed;
      for (const message of socket.received) expect(JSON.stringify(message).length).toBeLessThan(34_000);
      const mediaType = { mp3: 'audio/mpeg', pcm: 'audio/pcm;rate=24000', ulaw: 'audio/basic' }[
        format.split('_')[0]!
      ];
      const { samples, sampleRate } = await decodeAudio(socket.audio, undefined, mediaType);
      expect(samples.length / sampleRate).toBeGreaterThan(3);
      expect(socket.audio.indexOf('Info')).toBe(socket.audio.lastIndexOf('Info'));
    },
  );

  it('each text is an item of the history, unless enable_logging is false', async () => {
    const key = await issueKey();
    for (const query of ['enable_logging=false', '']) {
      const socket = await open(key, query);
      socket.send({ text: SENTENCE }, { text: '' });
      await socket.closed;
    }
    const { body } = await stack.request('GET', `/v1/history?voice_id=${owner.voiceId}&page_size=1`, key);
    expect((body.history as object[])[0]).toMatchObject({ text: SENTENCE, voice_id: owner.voiceId });
    await expectCharged(key, 2 * SENTENCE.length);
  });
});

describe('multi-stream-input', () => {
  it('LiveKit: sentences, an empty flush and close_context; every context has its own end', async () => {
    const key = await issueKey();
    const socket = await openMulti(key, 'inactivity_timeout=180&sync_alignment=true&auto_mode=true');
    const settings = { voice_settings: { stability: 0.5, similarity_boost: 0.75, speed: 1 } };
    for (const id of ['one', 'two']) {
      socket.send({ text: ' ', context_id: id, ...settings }, { text: SENTENCE, context_id: id });
      socket.send({ text: 'Rain', context_id: id }, { text: '', context_id: id, flush: true });
      socket.send({ context_id: id, close_context: true });
    }
    socket.send({ close_socket: true });
    expect((await socket.closed).code).toBe(1_000);
    for (const id of ['one', 'two']) {
      expect(socket.audioOf(id).length).toBeGreaterThan(30_000);
      const own = socket.received.filter(({ contextId }) => contextId === id);
      expect(own.at(-1)!.isFinal).toBe(true);
      expect(own.filter(({ isFinal }) => isFinal)).toHaveLength(1);
    }
    await expectCharged(key, 2 * (SENTENCE.length + 'Rain'.length));
  });

  it('Pipecat: a context that is closed while it speaks stops, and the next one is spoken', async () => {
    const key = await issueKey();
    const socket = await openMulti(key, 'auto_mode=true');
    const first = LONG.repeat(12);
    socket.send({ text: ' ', context_id: 'a' }, { text: `${first} `, context_id: 'a' });
    await audioOf(socket, 'a');
    socket.send({ context_id: 'a', close_context: true });
    socket.send({ text: ' ', context_id: 'b' }, { text: SENTENCE, context_id: 'b' });
    await audioOf(socket, 'b');
    // Keeps it alive, and is nothing to speak.
    socket.send({ text: '', context_id: 'b' }, { text: '', context_id: 'unknown' });
    socket.send({ close_socket: true });
    await socket.closed;
    expect(socket.error).toBeUndefined();
    const order = socket.received.map(({ contextId, isFinal }) => `${contextId}${isFinal ? ' end' : ''}`);
    expect(order.lastIndexOf('a')).toBeLessThan(order.indexOf('b'));
    expect(order.filter((each) => each.endsWith('end'))).toEqual(['a end', 'b end']);
    const used = await creditsUsed(stack, key.keyId);
    expect(used).toBeGreaterThan(SENTENCE.length);
    expect(used).toBeLessThan(first.length);
    await expectCharged(key, used);
  });

  it('a context without an id is the default one; an id that was closed can be used again', async () => {
    const socket = await openMulti(await issueKey());
    socket.send({ text: SENTENCE, flush: true }, { close_context: true });
    await eventually(() => Promise.resolve(expect(socket.received.at(-1)?.isFinal).toBe(true)));
    socket.send({ text: SENTENCE, voice_settings: { speed: 1.2 } }, { close_socket: true });
    await socket.closed;
    expect(socket.received.map(({ contextId }) => contextId)).toContain('default');
    expect(socket.received.filter(({ isFinal }) => isFinal)).toHaveLength(2);
  });
});

describe('who the client is', () => {
  const refusedBy = async (opening: Promise<SpeechSocketClient>) => {
    const error: unknown = await opening.then(
      (socket) => socket.webSocket.terminate(),
      (refusal: unknown) => refusal,
    );
    expect(error).toBeInstanceOf(HandshakeRefused);
    const { status, body } = error as HandshakeRefused;
    return [status, body.detail.code ?? body.detail[0]?.loc];
  };

  it.each([
    ['xi_api_key', (secret: string) => ({ xi_api_key: secret })],
    ['xi-api-key', (secret: string) => ({ 'xi-api-key': secret })],
    ['authorization', (secret: string) => ({ authorization: `Bearer ${secret}` })],
  ])('the first message may say so: %s', async (_name, credential) => {
    const key = await issueKey();
    const socket = await SpeechSocketClient.open(urlOf());
    socket.send({ text: ' ', ...credential(key.secret) }, { text: SENTENCE }, { text: '' });
    expect((await socket.closed).code).toBe(1_000);
    await expectCharged(key, SENTENCE.length);
  });

  it('and so may the query: authorization', async () => {
    const { secret } = await issueKey();
    const socket = await SpeechSocketClient.open(urlOf(`authorization=Bearer%20${secret}`));
    socket.webSocket.close();
    await socket.closed;
  });

  it('a single-use token opens one socket, from its query or first message, and bounds what it costs', async () => {
    const key = await issueKey();
    const mint = async (body: object = {}) =>
      (await stack.request('POST', '/v1/single-use-token/tts_websocket', { ...key, body })).body
        .token as string;
    const token = await mint({ voice_id: owner.voiceId, max_credits: SENTENCE.length + 3 });
    const socket = await SpeechSocketClient.open(urlOf(`single_use_token=${token}`));
    socket.send({ text: SENTENCE }, { text: SENTENCE }, { text: '' });
    expect((await socket.closed).code).toBe(1_008);
    expect(socket.error).toMatchObject({
      error: 'insufficient_credits',
      status: 'quota_exceeded',
      code: 1_008,
    });
    await expectCharged(key, SENTENCE.length);
    expect(await refusedBy(SpeechSocketClient.open(urlOf(`single_use_token=${token}`)))).toEqual([
      401,
      'invalid_single_use_token',
    ]);
    const inMessage = await SpeechSocketClient.open(urlOf());
    const other = await mint();
    inMessage.send({ text: ' ', single_use_token: other }, { text: SENTENCE }, { text: '' });
    expect((await inMessage.closed).code).toBe(1_000);
    const again = await SpeechSocketClient.open(urlOf());
    again.send({ text: ' ', single_use_token: other });
    expect((await again.closed).code).toBe(1_008);
    expect(again.error).toMatchObject({ error: 'invalid_single_use_token' });
    const elsewhere = await mint({ voice_id: 'another' });
    expect((await refusedBy(SpeechSocketClient.open(urlOf(`single_use_token=${elsewhere}`))))[0]).toBe(401);
  });

  it('a handshake that is refused gets the response of any other request', async () => {
    const key = await issueKey();
    const wrong = { ...key, secret: `${key.secret.slice(0, -1)}_` };
    const narrow = await issueKey({ permissions: ['voices_read'] });
    expect(await refusedBy(open(wrong))).toEqual([401, 'invalid_api_key']);
    expect(await refusedBy(open(narrow))).toEqual([403, 'insufficient_permissions']);
    expect(await refusedBy(open(key, 'inactivity_timeout=181'))).toEqual([
      422,
      ['query', 'inactivity_timeout'],
    ]);
    expect(await refusedBy(open(key, 'model_id=eleven_v9'))).toEqual([422, ['query', 'model_id']]);
    const unknown = SpeechSocketClient.open(urlOf('', 'stream-input', 'x'.repeat(20)), {
      'xi-api-key': key.secret,
    });
    expect(await refusedBy(unknown)).toEqual([404, 'voice_not_found']);
    expect(await refusedBy(SpeechSocketClient.open(urlOf().replace('stream-input', 'no-input')))).toEqual([
      404,
      'not_found',
    ]);
    const plain = await stack.request('GET', `/v1/text-to-speech/${owner.voiceId}/stream-input`, key);
    expect([plain.status, plain.body.detail!.code]).toEqual([426, 'web_socket_required']);
    const stranger = await stack.request('GET', `/v1/text-to-speech/${owner.voiceId}/stream-input`);
    expect(stranger.status).toBe(401);
  });

  it('a key that is disabled, and one whose token it was, ends its sockets at once', async () => {
    const key = await issueKey();
    const { body } = await stack.request('POST', '/v1/single-use-token/tts_websocket', key);
    const sockets = [
      await open(key),
      await SpeechSocketClient.open(urlOf(`single_use_token=${String(body.token)}`)),
    ];
    const startedAtMs = performance.now();
    const target = { keyId: key.keyId, actor: bySystem('test'), expected: 'any' as const, reason: null };
    await stack.api.get(ApiKeyChangesService).disable(target, 'security_incident');
    for (const socket of sockets) {
      expect((await socket.closed).code).toBe(1_008);
      expect(socket.error!.error).toMatch(/^invalid_(api_key|single_use_token)$/);
    }
    expect(performance.now() - startedAtMs).toBeLessThan(3_000);
  });
});

it('a key that is disabled in the middle of a text ends it, and what was sent is charged', async () => {
  const key = await issueKey();
  const engine = stack.api.get<VoiceEngine>(VOICE_ENGINE);
  const speakPiece = engine.speak.bind(engine);
  const target = { keyId: key.keyId, actor: bySystem('test'), expected: 'any' as const, reason: null };
  const spy = jest.spyOn(engine, 'speak').mockImplementation(async (...input) => {
    const audio = await speakPiece(...input);
    if (spy.mock.calls.length === 2)
      await stack.api.get(ApiKeyChangesService).disable(target, 'security_incident');
    return audio;
  });
  const socket = await open(key, 'sync_alignment=true');
  socket.send({ text: LONG, flush: true });
  expect((await socket.closed).code).toBe(1_008);
  spy.mockRestore();
  expect(socket.error).toMatchObject({ error: 'invalid_api_key' });
  const sent = socket.received.flatMap(({ alignment }) => alignment?.chars ?? []).length;
  expect(sent).toBeGreaterThanOrEqual(SENTENCES[0]!.length);
  expect(sent).toBeLessThan(LONG.length);
  await expectCharged(key, sent);
});

describe('bad input', () => {
  const ended = async (send: (socket: SpeechSocketClient) => unknown, isMulti = false) => {
    const key = await issueKey();
    const socket = await (isMulti ? openMulti(key) : open(key));
    send(socket);
    const { code, reason } = await socket.closed;
    await expectCharged(key, 0);
    expect(reason.length).toBeGreaterThan(10);
    expect(socket.error).toMatchObject({ code, request_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
    return [code, socket.error!.error];
  };

  it.each<[string, number, string, (socket: SpeechSocketClient) => unknown]>([
    ['not JSON', 1_007, 'malformed_json', ({ webSocket }) => webSocket.send('hello')],
    ['audio', 1_007, 'malformed_json', ({ webSocket }) => webSocket.send('RIFF\u{0}\u{1}WAVEfmt ')],
    ['a binary message', 1_007, 'malformed_json', ({ webSocket }) => webSocket.send(Buffer.from([1, 2]))],
    ['a list', 1_008, 'invalid_parameters', (socket) => socket.send([])],
    ['a number as text', 1_008, 'invalid_parameters', (socket) => socket.send({ text: { a: 1 } })],
    [
      'a wrong setting',
      1_008,
      'invalid_parameters',
      (s) => s.send({ text: ' ', voice_settings: { stability: 9 } }),
    ],
    [
      'a wrong speed',
      1_008,
      'invalid_voice_settings',
      (s) => s.send({ text: ' ', voice_settings: { speed: 9 } }),
    ],
    [
      'a wrong schedule',
      1_008,
      'invalid_parameters',
      (socket) => socket.send({ text: ' ', generation_config: { chunk_length_schedule: [0] } }),
    ],
    [
      'other settings later',
      1_008,
      'context_settings_fixed',
      (socket) => socket.send({ text: ' ' }, { text: 'a', voice_settings: { speed: 1.1 } }),
    ],
    ['a text of a megabyte', 1_009, 'too_much_text', (socket) => socket.send({ text: 'a '.repeat(500_000) })],
  ])('%s', async (_name, code, error, send) => {
    expect(await ended(send)).toEqual([code, error]);
  });

  it('two contexts with one id and other settings, and too many contexts', async () => {
    const twice = (socket: SpeechSocketClient) =>
      socket.send(
        { text: ' ', context_id: 'a' },
        { text: 'b', context_id: 'a', voice_settings: { speed: 1.1 } },
      );
    expect(await ended(twice, true)).toEqual([1_008, 'context_settings_fixed']);
    const many = (socket: SpeechSocketClient) =>
      Array.from({ length: 11 }, (_, index) => socket.send({ text: 'a', context_id: `context ${index}` }));
    expect(await ended(many, true)).toEqual([1_008, 'too_many_contexts']);
  });

  it('a client that sends nothing is told so in time, and a message of two megabytes is not read', async () => {
    const key = await issueKey();
    const silent = await open(key, 'inactivity_timeout=1');
    expect((await silent.closed).code).toBe(1_008);
    expect(silent.error).toMatchObject({
      error: 'input_timeout_exceeded',
      message:
        'Have not received a new text input within the timeout of 1.0 seconds. Please send text input or close the socket.',
    });
    const large = await open(key);
    large.send({ text: 'a'.repeat(2_000_000) });
    expect((await large.closed).code).toBe(1_009);
  });

  it('a voice that is deleted, credits that run out: what was sent before is charged', async () => {
    const voice = await makeVoice(stack, owner.secret);
    const key = await issueKey({ creditLimit: SENTENCE.length + 5 });
    const socket = await open(key);
    socket.send({ text: SENTENCE, flush: true });
    await audioOf(socket);
    socket.send({ text: SENTENCE, flush: true });
    expect((await socket.closed).code).toBe(1_008);
    expect(socket.error).toMatchObject({ error: 'insufficient_credits' });
    await eventually(async () => {
      await stack.api.get(TrafficRecorder).flush();
      const refusals = await stack.dataSource.query<object[]>(
        'SELECT gate, reason, status, cost::int, route FROM key_refusal WHERE key_id = $1',
        [key.keyId],
      );
      const route = 'GET /v1/text-to-speech/:voice_id/stream-input';
      const refused = { gate: 'credits', reason: 'insufficient_credits', status: 402, route };
      expect(refusals).toEqual([{ ...refused, cost: expect.any(Number) }]);
    });
    await expectCharged(key, SENTENCE.length);
    const other = await SpeechSocketClient.open(urlOf('', 'stream-input', voice.voiceId), {
      'xi-api-key': owner.secret,
    });
    await stack.request('DELETE', `/v1/voices/${voice.voiceId}`, owner);
    other.send({ text: SENTENCE });
    await other.closed;
    expect(other.error).toMatchObject({ error: 'voice_not_found' });
    expect(other.audio.length).toBe(0);
  });

  it('a client that leaves pays for what was sent', async () => {
    const key = await issueKey();
    const socket = await open(key);
    const text = LONG.repeat(12);
    socket.send({ text, flush: true });
    await audioOf(socket);
    socket.webSocket.terminate();
    await eventually(async () => expect(await holdsOf(key)).toEqual([]));
    const used = await creditsUsed(stack, key.keyId);
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(text.length);
  });
});

it('more sockets than the account may generate with at once wait for each other', async () => {
  const key = await stack.issueKey({ tier: 'pro', concurrency: 1 });
  const { voiceId: own } = await makeVoice(stack, key.secret);
  const sockets = await Promise.all(
    Array.from({ length: 4 }, () =>
      SpeechSocketClient.open(urlOf('', 'stream-input', own), { 'xi-api-key': key.secret }),
    ),
  );
  for (const socket of sockets) socket.send({ text: 'One by one. ' }, { text: '' });
  for (const socket of sockets) expect((await socket.closed).code).toBe(1_000);
});

it('a request that asks for another upgrade is served as any other', async () => {
  const { secret } = await issueKey();
  const url = new URL(`${stack.baseUrl}/v1/text-to-speech/${owner.voiceId}`);
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        'xi-api-key': secret,
        'content-type': 'application/json',
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      },
    });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ text: SENTENCE }));
  });
  expect(status).toBe(200);
});

it('a process that stops finishes what it speaks, and says that it is restarted', async () => {
  const ending = await Stack.start({ worker: false });
  const key = await ending.issueKey({ tier: 'pro' });
  const { voiceId: own } = await makeVoice(ending, key.secret);
  const url = `${ending.baseUrl}/v1/text-to-speech/${own}/stream-input?output_format=pcm_16000`;
  const [speaking, idle] = [
    await SpeechSocketClient.open(url, { 'xi-api-key': key.secret }),
    await SpeechSocketClient.open(url, { 'xi-api-key': key.secret }),
  ];
  speaking.send({ text: LONG, flush: true });
  await audioOf(speaking);
  const stopped = ending.stop();
  expect((await idle.closed).code).toBe(1_001);
  expect(await speaking.closed).toEqual({ code: 1_001, reason: 'This process is restarted' });
  expect(speaking.audio.length / 32_000).toBeGreaterThan(3);
  await stopped;
});
