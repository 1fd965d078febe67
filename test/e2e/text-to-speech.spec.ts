import { decodeAudio, inspectAudio } from '../../libs/audio/codecs/decode-audio';
import type { VoiceEngine } from '../../libs/voice-engine/voice-engine';
import { VoiceEngineError } from '../../libs/voice-engine/voice-engine.error';
import { VOICE_ENGINE } from '../../libs/voice-engine/voice-engine.provider';
import { eventually } from '../support/eventually';
import { creditsUsed, makeVoice, voiceOwnerOfFile } from '../support/previews';
import { freePort } from '../support/redis-server';
import { SENTENCES, TEXT } from '../support/samples';
import { isShort } from '../support/short';
import { Stack, type IssuedKey } from '../support/stack';

const LONG = SENTENCES.join('');
const FORMATS = isShort()
  ? ['mp3_44100_128', 'pcm_16000']
  : ['mp3_44100_128', 'mp3_22050_32', 'pcm_16000', 'ulaw_8000', 'alaw_8000'];
const UNKNOWN = 'x'.repeat(20);

/** Without marks, which differ in each recording: texts that are spoken twice are compared byte by byte. */
const stack = Stack.ofFile({ worker: false, env: { SYNTHETIC_AUDIO_MARKS: 'off' } });
/** Whose voice speaks; its keys are issued anew for each test, so that what a key has used is what the test did. */
const owner = voiceOwnerOfFile(stack);

afterEach(() => {
  jest.restoreAllMocks();
});

const issueKey = (options: Parameters<Stack['issueKey']>[0] = {}) =>
  stack.issueKey({ ...options, accountId: owner.accountId });

const speak = (secret: string, changes: Record<string, unknown> = {}, path = owner.voiceId) =>
  stack.request('POST', `/v1/text-to-speech/${path}`, { secret, body: { text: TEXT, ...changes } });

const streamSpeech = (secret: string, text: string, signal?: AbortSignal) =>
  fetch(`${stack.baseUrl}/v1/text-to-speech/${owner.voiceId}/stream?output_format=pcm_16000`, {
    method: 'POST',
    headers: { 'xi-api-key': secret, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
    signal,
  });

async function secsOf(bytes: Uint8Array, mediaType: string): Promise<number> {
  const { samples, sampleRate } = await decodeAudio(bytes, undefined, mediaType);
  return samples.length / sampleRate;
}

/** Lines of the ledger of a key, in the order in which they were written. */
async function ledgerOf({ keyId }: IssuedKey): Promise<[kind: string, amount: number, operation: string][]> {
  const rows = await stack.dataSource.query<{ kind: string; amount: string; operation: string }[]>(
    'SELECT kind, amount, operation FROM credit_ledger WHERE key_id = $1 ORDER BY id',
    [keyId],
  );
  return rows.map(({ kind, amount, operation }) => [kind, Number(amount), operation]);
}

async function holdsOf({ accountId }: IssuedKey): Promise<number> {
  const rows = await stack.dataSource.query<object[]>('SELECT 1 FROM credit_hold WHERE account_id = $1', [
    accountId,
  ]);
  return rows.length;
}

const engine = () => stack.api.get<VoiceEngine>(VOICE_ENGINE);

/** The engine speaks this many pieces; then it does what is given. */
function afterPieces(count: number, then: (signal?: AbortSignal) => Promise<never>): jest.SpyInstance {
  const speakPiece = engine().speak.bind(engine());
  let spoken = 0;
  return jest
    .spyOn(engine(), 'speak')
    .mockImplementation(async (request, signal) =>
      spoken++ < count ? speakPiece(request, signal) : then(signal),
    );
}

const fail = () => Promise.reject(new VoiceEngineError('failed', 'the engine broke'));
const wait = (signal?: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal!.addEventListener('abort', () => reject(signal!.reason as Error));
  });

describe('200', () => {
  it('a created voice speaks, and its characters are charged', async () => {
    const key = await issueKey();
    const { status, headers, bytes } = await speak(key.secret);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('audio/mpeg');
    expect(headers.get('content-length')).toBe(String(bytes.length));
    expect(headers.get('character-cost')).toBe(String(TEXT.length));
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
    expect(headers.get('x-voice-engine')).toBe('flite');
    const secs = await secsOf(bytes, 'audio/mpeg');
    expect(secs).toBeGreaterThan(3);
    expect(secs).toBeLessThan(15);
    expect(await creditsUsed(stack, key.keyId)).toBe(TEXT.length);
    expect((await ledgerOf(key)).at(-1)).toEqual(['charge', TEXT.length, 'text_to_speech']);
    expect(await holdsOf(key)).toBe(0);
  });

  it.each(FORMATS)('several sentences in %s follow each other as one recording', async (format) => {
    const { secret } = await issueKey();
    const { headers, bytes } = await speak(
      secret,
      { text: LONG },
      `${owner.voiceId}/stream?output_format=${format}`,
    );
    const whole = await speak(secret, { text: LONG }, `${owner.voiceId}?output_format=${format}`);
    expect(bytes.equals(whole.bytes)).toBe(true);
    const mediaType = headers.get('content-type')!;
    let parts = 0;
    for (const text of SENTENCES) {
      const { bytes: part } = await speak(secret, { text }, `${owner.voiceId}?output_format=${format}`);
      parts += await secsOf(part, mediaType);
    }
    expect(Math.abs((await secsOf(bytes, mediaType)) - parts)).toBeLessThan(0.03);
  });

  it.each([TEXT, LONG])('a WAV file has the length of its sound: %s', async (text) => {
    const { secret } = await issueKey();
    const { headers, bytes } = await speak(secret, { text }, `${owner.voiceId}?output_format=wav_16000`);
    const samples = await speak(secret, { text }, `${owner.voiceId}?output_format=pcm_16000`);
    expect(headers.get('content-type')).toBe('audio/wav');
    expect(bytes.subarray(44).equals(samples.bytes)).toBe(true);
    expect((await inspectAudio(bytes)).durationSecs).toBeCloseTo(samples.bytes.length / 32_000, 3);
    const stream = await speak(secret, { text }, `${owner.voiceId}/stream?output_format=wav_16000`);
    expect(stream.status).toBe(422);
  });

  it('pauses are silence, tags are not spoken, and what has no sound is named and charged', async () => {
    const { secret, keyId } = await issueKey();
    const say = async (text: string) => speak(secret, { text }, `${owner.voiceId}?output_format=pcm_16000`);
    const plain = await say('Wait and listen.');
    const tagged = await say('[pause] Wait and listen. [laughs] <break time="2s"/> 🎈');
    expect(tagged.bytes.length - plain.bytes.length).toBe(2 * 32_000);
    expect(tagged.headers.get('x-unspoken-characters')).toBe('U+1F388');
    expect(tagged.headers.get('character-cost')).toBe('54');
    expect(plain.headers.get('x-unspoken-characters')).toBeNull();
    expect(await creditsUsed(stack, keyId)).toBe(16 + 54);
  });

  it('a higher speed takes less time, and so do the settings of the voice', async () => {
    const { secret } = await issueKey();
    const secsAt = async (changes: object) => {
      const { bytes } = await speak(secret, { ...changes }, `${owner.voiceId}?output_format=pcm_16000`);
      return bytes.length / 32_000;
    };
    const plain = await secsAt({ voice_settings: null });
    const fast = await secsAt({ voice_settings: { speed: 1.2, stability: 0.3 } });
    expect(plain / fast).toBeGreaterThan(1.1);
    expect(await secsAt({ voice_settings: {} })).toBeCloseTo(plain, 3);
    const body = { speed: 1.2 };
    await stack.request('POST', `/v1/voices/${owner.voiceId}/settings/edit`, { secret, body });
    expect(await secsAt({})).toBeCloseTo(fast, 3);
    // A setting that is left out stays the voice's own.
    expect(await secsAt({ voice_settings: { stability: 0.9 } })).toBeCloseTo(fast, 3);
    expect(await secsAt({ voice_settings: { speed: 1 } })).toBeCloseTo(plain, 3);
    const reset = { speed: null };
    await stack.request('POST', `/v1/voices/${owner.voiceId}/settings/edit`, { secret, body: reset });
  });

  it('every field and every model name of the contract is accepted', async () => {
    const { secret } = await issueKey();
    const query = 'optimize_streaming_latency=3&enable_logging=false&output_format=mp3_22050_32';
    const body = {
      text: 'Hello there.',
      language_code: 'en',
      seed: 4_294_967_295,
      previous_text: 'Before.',
      next_text: null,
      previous_request_ids: ['r-1'],
      next_request_ids: [],
      pronunciation_dictionary_locators: [{ pronunciation_dictionary_id: 'd', version_id: null }],
      use_pvc_as_ivc: false,
      apply_text_normalization: 'auto',
      apply_language_text_normalization: false,
    };
    const { body: models } = await stack.request('GET', '/v1/models', { secret });
    const speaking = (models as unknown as { model_id: string; can_do_text_to_speech: boolean }[]).filter(
      (model) => model.can_do_text_to_speech,
    );
    expect(speaking.length).toBeGreaterThan(5);
    for (const { model_id } of speaking) {
      const { status } = await speak(secret, { ...body, model_id }, `${owner.voiceId}?${query}`);
      expect([model_id, status]).toEqual([model_id, 200]);
    }
  });

  it('a stream begins before its end is spoken', async () => {
    const key = await issueKey();
    afterPieces(2, wait);
    const gone = new AbortController();
    const response = await streamSpeech(key.secret, LONG, gone.signal);
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    expect(response.headers.get('character-cost')).toBe(String(LONG.length));
    const { value } = await response.body!.getReader().read();
    expect(value!.length).toBeGreaterThan(1_000);
    expect(await creditsUsed(stack, key.keyId)).toBe(LONG.length);
    expect(await holdsOf(key)).toBe(1);
    gone.abort();
    await eventually(async () => expect(await holdsOf(key)).toBe(0));
  });

  it('a stream that is read to its end is charged before the client has the end', async () => {
    const key = await issueKey();
    const response = await streamSpeech(key.secret, LONG);
    await response.arrayBuffer();
    expect((await ledgerOf(key)).at(-1)).toEqual(['charge', LONG.length, 'text_to_speech']);
    expect(await holdsOf(key)).toBe(0);
  });

  it('a client that leaves in the middle pays for the sentences that were sent, and the engine stops', async () => {
    const key = await issueKey();
    let stopped = false;
    const speaking = afterPieces(2, (signal) => wait(signal).finally(() => (stopped = true)));
    const gone = new AbortController();
    const reader = (await streamSpeech(key.secret, LONG, gone.signal)).body!.getReader();
    await eventually(() => expect(speaking).toHaveBeenCalledTimes(3));
    await reader.read();
    gone.abort();
    await eventually(async () => {
      expect(await creditsUsed(stack, key.keyId)).toBe(SENTENCES[0]!.length + SENTENCES[1]!.length);
      expect(stopped).toBe(true);
    });
    expect(await holdsOf(key)).toBe(0);
    const slots = await stack.dataSource.query<object[]>('SELECT 1 FROM generation_slot');
    expect(slots).toEqual([]);
  });

  it('a client that does not read keeps the engine from speaking on', async () => {
    const key = await issueKey();
    const speaking = jest.spyOn(engine(), 'speak');
    const gone = new AbortController();
    const text = LONG.repeat(56);
    const url = `${stack.baseUrl}/v1/text-to-speech/${owner.voiceId}/stream?output_format=pcm_48000`;
    const headers = { 'xi-api-key': key.secret, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ text }), signal: gone.signal };
    await fetch(url, init);
    let before = 0;
    await eventually(async () => {
      const now = speaking.mock.calls.length;
      const isStill = now === before && now > 1;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect([isStill, speaking.mock.calls.length]).toEqual([true, now]);
    });
    expect(before).toBeLessThan(100);
    gone.abort();
    await eventually(async () => expect(await holdsOf(key)).toBe(0));
    expect(await creditsUsed(stack, key.keyId)).toBeLessThan(text.length);
  });
});

describe('when each character is spoken', () => {
  interface Alignment {
    characters: string[];
    character_start_times_seconds: number[];
    character_end_times_seconds: number[];
  }
  interface Timed {
    audio_base64: string;
    alignment: Alignment;
    normalized_alignment: Alignment;
  }

  const speakTimed = async (secret: string, path: string, text = LONG): Promise<Timed[]> => {
    const { status, bytes } = await speak(
      secret,
      { text },
      `${owner.voiceId}${path}?output_format=pcm_16000`,
    );
    expect(status).toBe(200);
    return bytes
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Timed);
  };
  const startOf = ({ characters, character_start_times_seconds: starts }: Alignment, word: string) =>
    starts[characters.join('').indexOf(word)]!;

  it('the whole text has its times, in the audio that is spoken without them', async () => {
    const key = await issueKey();
    const [whole] = await speakTimed(key.secret, '/with-timestamps');
    const { alignment } = whole!;
    const plain = await speak(key.secret, { text: LONG }, `${owner.voiceId}?output_format=pcm_16000`);
    const audio = Buffer.from(whole!.audio_base64, 'base64');
    expect(audio.equals(plain.bytes)).toBe(true);
    expect(alignment.characters.join('')).toBe(LONG);
    expect(whole!.normalized_alignment.characters.join('').trim()).toBe(LONG);
    const ends = alignment.character_end_times_seconds;
    expect(ends.every((end, at) => end >= (ends[at - 1] ?? 0))).toBe(true);
    const pauseSecs = audio.length / 32_000 - ends.at(-1)!;
    expect(pauseSecs).toBeGreaterThan(0);
    expect(pauseSecs).toBeLessThan(0.5);
    expect(await creditsUsed(stack, key.keyId)).toBe(2 * LONG.length);
  });

  it('a stream has lines with their times in the whole', async () => {
    const { secret } = await issueKey();
    const lines = await speakTimed(secret, '/stream/with-timestamps');
    const [whole] = await speakTimed(secret, '/with-timestamps');
    expect(lines.length).toBeGreaterThan(SENTENCES.length);
    const aligned = lines.flatMap(({ alignment }) => alignment ?? []);
    expect(aligned.flatMap(({ characters }) => characters).join('')).toBe(LONG);
    expect(aligned.flatMap((each) => each.character_start_times_seconds)).toEqual(
      whole!.alignment.character_start_times_seconds,
    );
    const audio = lines.map((line) => Buffer.from(line.audio_base64, 'base64'));
    expect(Buffer.concat(audio).toString('base64')).toBe(whole!.audio_base64);
  });

  it.each([
    ['a long sentence', 'mp3_44100_128', 'the boats that had come in from the sea lay still and '.repeat(9)],
    ['a long sentence', 'pcm_24000', 'the boats that had come in from the sea lay still and '.repeat(9)],
    ['characters without a sound', 'mp3_22050_32', `${'🎈'.repeat(5_000)}Fog.`],
  ])('no line is longer than 32 KiB: %s in %s', async (_, format, text) => {
    const { secret } = await issueKey();
    const { bytes } = await speak(
      secret,
      { text },
      `${owner.voiceId}/stream/with-timestamps?output_format=${format}`,
    );
    const lines = bytes.toString().trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(32_768);
    expect(lines.length).toBeGreaterThan(5);
    const read = lines.map((line) => JSON.parse(line) as Timed);
    expect(read.flatMap(({ alignment }) => alignment?.characters ?? []).join('')).toBe(text);
    const whole = await speak(secret, { text }, `${owner.voiceId}/stream?output_format=${format}`);
    const audio = Buffer.concat(read.map((line) => Buffer.from(line.audio_base64, 'base64')));
    expect(audio.equals(whole.bytes)).toBe(true);
  });

  it('the audio from the start of a word on begins with that word', async () => {
    const { secret } = await issueKey();
    const text = 'Nobody came. Then a bell rang.';
    const [timed] = await speakTimed(secret, '/with-timestamps', text);
    const samples = new Int16Array(Uint8Array.from(Buffer.from(timed!.audio_base64, 'base64')).buffer);
    const loudness = (from: number, to: number) =>
      Math.max(...samples.slice(Math.round(from * 16_000), Math.round(to * 16_000)).map(Math.abs));
    const start = startOf(timed!.alignment, 'Then');
    expect(loudness(start - 0.12, start - 0.02)).toBeLessThan(loudness(start, start + 0.3) / 10);
  });

  it('they are null where the engine does not know them', async () => {
    const { secret } = await issueKey();
    const speakPiece = engine().speak.bind(engine());
    jest
      .spyOn(engine(), 'speak')
      .mockImplementation(async (...input) => ({ ...(await speakPiece(...input)), wordTimes: null }));
    for (const path of ['/with-timestamps', '/stream/with-timestamps']) {
      for (const { alignment, normalized_alignment, audio_base64 } of await speakTimed(secret, path)) {
        expect([alignment, normalized_alignment]).toEqual([null, null]);
        expect(audio_base64.length).toBeGreaterThan(1_000);
      }
    }
  });
});

describe('402', () => {
  it('a key without the credits hears nothing, and nothing is charged', async () => {
    const key = await issueKey({ creditLimit: TEXT.length - 1 });
    for (const path of [owner.voiceId, `${owner.voiceId}/stream`]) {
      const { status, body } = await speak(key.secret, {}, path);
      expect(status).toBe(402);
      expect(body.detail).toMatchObject({ code: 'insufficient_credits', status: 'quota_exceeded' });
    }
    expect(await creditsUsed(stack, key.keyId)).toBe(0);
  });

  it('a text is not split before its credits are held, and one that cannot be spoken returns them', async () => {
    const text = '‹'.repeat(9_000);
    const [poor, rich] = [await issueKey({ creditLimit: 1 }), await issueKey({ creditLimit: text.length })];
    for (const path of ['', '/stream', '/with-timestamps', '/stream/with-timestamps']) {
      expect((await speak(poor.secret, { text }, `${owner.voiceId}${path}`)).status).toBe(402);
      expect((await speak(rich.secret, { text }, `${owner.voiceId}${path}`)).status).toBe(422);
    }
    expect(await creditsUsed(stack, rich.keyId)).toBe(0);
  });
});

describe('403', () => {
  it('a key needs the permission text_to_speech', async () => {
    const other = await issueKey({ permissions: ['voice_generation'] });
    const { status, body } = await speak(other.secret);
    expect(status).toBe(403);
    expect(body.detail?.message).toContain('text_to_speech');
    expect((await speak((await issueKey({ permissions: ['text_to_speech'] })).secret)).status).toBe(200);
  });

  it('an address that is not on the list of the key', async () => {
    const { secret } = await issueKey({ allowedIps: ['203.0.113.0/24'] });
    const { status, body } = await speak(secret);
    expect([status, body.detail?.code]).toEqual([403, 'ip_not_allowed']);
  });

  it('a format of a higher tier', async () => {
    const free = await stack.issueKey({ tier: 'free' });
    const { status, body } = await speak(free.secret, {}, `${owner.voiceId}?output_format=mp3_44100_192`);
    expect(status).toBe(403);
    expect(body.detail).toMatchObject({ code: 'feature_not_available', param: 'output_format' });
  });
});

describe('404', () => {
  it("an unknown voice, and another account's, are the same", async () => {
    const stranger = await stack.issueKey();
    for (const [secret, id] of [
      [owner.secret, UNKNOWN],
      [owner.secret, 'no-id'],
      [stranger.secret, owner.voiceId],
    ] as const) {
      for (const path of [id, `${id}/stream`]) {
        const { status, body } = await speak(secret, {}, path);
        expect(status).toBe(404);
        expect(body.detail).toMatchObject({ code: 'voice_not_found', param: 'voice_id' });
      }
    }
  });

  it('where TEXT_TO_SPEECH is off nothing speaks, and no model says that it could', async () => {
    const off = await Stack.start({
      worker: false,
      env: { TEXT_TO_SPEECH: 'off', METRICS_PORT: String(await freePort()) },
    });
    try {
      const { secret } = await off.issueKey();
      for (const path of [UNKNOWN, `${UNKNOWN}/stream`]) {
        const { status, body } = await off.request('POST', `/v1/text-to-speech/${path}`, {
          secret,
          body: {},
        });
        expect([status, body.detail?.code]).toEqual([404, 'not_found']);
        expect(body.detail?.message).toContain('docs/api-compatibility.md lists those that are');
      }
      const { body: models } = await off.request('GET', '/v1/models', { secret });
      expect(JSON.stringify(models)).not.toContain('"can_do_text_to_speech":true');
    } finally {
      await off.stop();
    }
  });
});

describe('409', () => {
  it('a voice that another engine made says which ones speak here', async () => {
    const key = await stack.issueKey();
    const created = await makeVoice(stack, key.secret);
    const used = await creditsUsed(stack, key.keyId);
    await stack.dataSource.query(
      `UPDATE voice SET engine = 'openai', spec = '{"engine":"openai","dialect":"kokoro"}' WHERE id = $1`,
      [created.voiceId],
    );
    const { status, body } = await speak(key.secret, {}, created.voiceId);
    expect(status).toBe(409);
    expect(body.detail).toMatchObject({ code: 'voice_not_speakable', param: 'voice_id' });
    expect(body.detail?.message).toContain(
      'created by the engine openai (kokoro), and voices of flite are accepted',
    );
    expect(await creditsUsed(stack, key.keyId)).toBe(used);
  });
});

describe('400', () => {
  it.each([0.69, 1.21, 3])('a voice cannot speak at the speed %p', async (speed) => {
    const key = await issueKey();
    const { status, body } = await speak(key.secret, { voice_settings: { speed } });
    expect([status, body.detail]).toMatchObject([
      400,
      { type: 'validation_error', code: 'invalid_voice_settings', param: 'voice_settings.speed' },
    ]);
    expect(body.detail?.message).toMatch(/from 0\.7 to 1\.2/);
    expect(await creditsUsed(stack, key.keyId)).toBe(0);
  });
});

describe('422', () => {
  it.each([
    ['no text', { text: undefined }, 'text'],
    ['an empty text', { text: '' }, 'text'],
    ['a text that cannot be spoken', { text: '🎈🎈' }, 'text'],
    ['a text longer than its model takes', { text: 'a'.repeat(5_001), model_id: 'eleven_v3' }, 'text'],
    ['a text longer than any model takes', { text: 'a'.repeat(40_001) }, 'text'],
    ['a design model', { model_id: 'eleven_ttv_v3' }, 'model_id'],
    ['a stability out of bounds', { voice_settings: { stability: 3 } }, 'voice_settings.stability'],
    ['settings that are no object', { voice_settings: 'fast' }, 'voice_settings'],
    ['a seed out of bounds', { seed: -1 }, 'seed'],
    [
      'a dictionary without id',
      { pronunciation_dictionary_locators: [{}] },
      'pronunciation_dictionary_locators.0.pronunciation_dictionary_id',
    ],
  ])('%s', async (_, changes, place) => {
    const key = await issueKey();
    const { status, body } = await speak(key.secret, changes);
    expect([status, (body.detail as unknown as { loc: string[] }[])[0]!.loc.join('.')]).toEqual([
      422,
      `body.${place}`,
    ]);
    expect(await ledgerOf(key)).toEqual([]);
  });

  it.each(['optimize_streaming_latency=5', 'enable_logging=maybe', 'output_format=flac_44100'])(
    '%s',
    async (query) => {
      expect((await speak(owner.secret, {}, `${owner.voiceId}?${query}`)).status).toBe(422);
    },
  );
});

describe('503', () => {
  it.each(['', '/stream'])(
    'an engine that fails at %s before anything was sent costs nothing',
    async (path) => {
      const key = await issueKey();
      afterPieces(0, fail);
      const { status, body, headers } = await speak(key.secret, {}, `${owner.voiceId}${path}`);
      expect([status, body.detail?.code]).toEqual([503, 'service_unavailable']);
      expect(headers.get('retry-after')).toBe('5');
      expect(await creditsUsed(stack, key.keyId)).toBe(0);
      expect(await holdsOf(key)).toBe(0);
    },
  );

  it('an engine that fails at the last sentence costs nothing, unless the others were sent', async () => {
    const whole = await issueKey();
    afterPieces(2, fail);
    expect((await speak(whole.secret, { text: LONG })).status).toBe(503);
    expect(await creditsUsed(stack, whole.keyId)).toBe(0);
    jest.restoreAllMocks();
    const streamed = await issueKey();
    afterPieces(2, fail);
    const response = await streamSpeech(streamed.secret, LONG);
    await expect(response.arrayBuffer()).rejects.toThrow();
    await eventually(async () => expect(await holdsOf(streamed)).toBe(0));
    expect(await creditsUsed(stack, streamed.keyId)).toBe(SENTENCES[0]!.length + SENTENCES[1]!.length);
  });

  it('a client that leaves before the first sentence is spoken pays nothing', async () => {
    const key = await issueKey();
    afterPieces(0, wait);
    const gone = new AbortController();
    const response = streamSpeech(key.secret, LONG, gone.signal);
    await eventually(async () => expect(await holdsOf(key)).toBe(1));
    gone.abort();
    await expect(response).rejects.toThrow();
    await eventually(async () => expect(await holdsOf(key)).toBe(0));
    expect(await creditsUsed(stack, key.keyId)).toBe(0);
  });
});
