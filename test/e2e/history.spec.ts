import { HistoryRecorder } from '../../apps/api/src/history/history-recorder';
import { AudioStore } from '../../libs/audio-store/audio-store';
import { DEFAULT_VOICE_SETTINGS } from '../../libs/domain/voices/voice-settings';
import type { VoiceEngine } from '../../libs/voice-engine/voice-engine';
import { VoiceEngineError } from '../../libs/voice-engine/voice-engine.error';
import { VOICE_ENGINE } from '../../libs/voice-engine/voice-engine.provider';
import { eventually } from '../support/eventually';
import { expiryOf } from '../support/expiry';
import { creditsUsed, makeVoice, voiceOwnerOfFile } from '../support/previews';
import { freePort } from '../support/redis-server';
import { SENTENCES, TEXT } from '../support/samples';
import { Stack } from '../support/stack';

const UNKNOWN = 'x'.repeat(20);

interface Item {
  history_item_id: string;
  text: string;
  character_count_change_from: number;
  character_count_change_to: number;
}

const stack = Stack.ofFile({ worker: false });
const owner = voiceOwnerOfFile(stack);

afterEach(() => {
  jest.restoreAllMocks();
});

const speak = (text: string, path = '', query = '') =>
  stack.request('POST', `/v1/text-to-speech/${owner.voiceId}${path}?output_format=pcm_16000${query}`, {
    secret: owner.secret,
    body: { text, model_id: 'eleven_flash_v2_5', voice_settings: { speed: 1.1 } },
  });
const get = (path: string, secret = owner.secret) => stack.request('GET', `/v1/history${path}`, { secret });
const listed = async (query = '') => (await get(query)).body.history as Item[];
const newest = async () => (await listed('?page_size=1'))[0]!;

async function countAudio(): Promise<number> {
  const rows = await stack.dataSource.query<object[]>('SELECT 1 FROM audio_object');
  return rows.length;
}

describe('206', () => {
  it('a part of the audio, over the joints of its pieces', async () => {
    const { headers, bytes } = await speak(SENTENCES.join(''));
    const path = `/v1/history/${headers.get('history-item-id')}/audio`;
    const part = async (range: string, more: Record<string, string> = {}) =>
      stack.request('GET', path, { secret: owner.secret, headers: { range, ...more } });
    const whole = await stack.request('GET', path, { secret: owner.secret });
    expect(whole.bytes.equals(bytes)).toBe(true);
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    for (const [from, to] of [
      [0, 1],
      [1_000, bytes.length - 1_000],
      [bytes.length - 10, bytes.length + 10],
    ] as const) {
      const { status, headers: got, bytes: read } = await part(`bytes=${from}-${to}`);
      expect(status).toBe(206);
      expect(read.equals(bytes.subarray(from, to + 1))).toBe(true);
      expect(got.get('content-length')).toBe(String(read.length));
    }
    expect((await part(`bytes=${bytes.length}-`)).status).toBe(416);
    const known = { 'if-none-match': whole.headers.get('etag')! };
    expect((await stack.request('GET', path, { secret: owner.secret, headers: known })).status).toBe(304);
  });
});

describe('an Idempotency-Key', () => {
  const send = (path: string, key: string, text = TEXT) =>
    stack.request('POST', `/v1/text-to-speech/${owner.voiceId}${path}`, {
      secret: owner.secret,
      body: { text, model_id: 'eleven_flash_v2_5' },
      headers: { 'idempotency-key': key },
    });

  it.each(['?output_format=pcm_16000', '/stream?output_format=mp3_22050_32'])(
    'speech is spoken and charged once: %s',
    async (path) => {
      const key = `once ${path}`.replaceAll(' ', '-');
      const before = await creditsUsed(stack, owner.keyId);
      const first = await send(path, key);
      const again = await eventually(async () => {
        const response = await send(path, key);
        expect(response.status).toBe(200);
        return response;
      });
      expect(again.bytes.equals(first.bytes)).toBe(true);
      for (const name of ['content-type', 'character-cost', 'history-item-id'])
        expect(again.headers.get(name)).toBe(first.headers.get(name));
      expect((await creditsUsed(stack, owner.keyId)) - before).toBe(TEXT.length);
      const other = await send(path, key, 'Another text.');
      expect([other.status, other.body.detail?.code]).toEqual([409, 'idempotency_key_reused']);
    },
  );

  it('409: what cannot be repeated was charged, and is not charged again', async () => {
    for (const path of ['?enable_logging=false', '/with-timestamps?output_format=pcm_16000']) {
      await send(path, path);
      // Until the end of the first is stored, it counts as running.
      await eventually(async () => {
        const { status, body } = await send(path, path);
        expect([status, body.detail?.code]).toEqual([409, 'idempotent_response_gone']);
      });
    }
  });

  it('a refusal is not kept', async () => {
    expect((await send('', 'refused', '🎈')).status).toBe(422);
    expect((await send('', 'refused', '🎈')).status).toBe(422);
  });
});

describe('200', () => {
  it('what was spoken is kept with its audio, its settings and what it cost', async () => {
    const before = await creditsUsed(stack, owner.keyId);
    const { headers, bytes } = await speak(SENTENCES.join(''));
    const id = headers.get('history-item-id')!;
    const { body } = await get(`/${id}`);
    const characters = SENTENCES.join('').length;
    expect(body).toMatchObject({
      history_item_id: id,
      request_id: headers.get('request-id'),
      voice_id: owner.voiceId,
      model_id: 'eleven_flash_v2_5',
      text: SENTENCES.join(''),
      character_count_change_from: before,
      character_count_change_to: before + characters,
      content_type: 'audio/pcm;rate=16000',
      output_format: 'pcm_16000',
      settings: { speed: 1.1 },
      source: 'TTS',
    });
    const audio = await get(`/${id}/audio`);
    expect(audio.headers.get('content-type')).toBe('audio/pcm;rate=16000');
    expect(audio.headers.get('content-length')).toBe(String(bytes.length));
    expect(audio.bytes.equals(bytes)).toBe(true);
  });

  it.each(['/stream', '/with-timestamps', '/stream/with-timestamps'])('also of %s', async (path) => {
    const { headers } = await speak(TEXT, path);
    expect(await newest()).toMatchObject({
      history_item_id: headers.get('history-item-id'),
      text: TEXT,
    });
  });

  it('of a stream that breaks off, the sentences that were sent are kept', async () => {
    const engine = stack.api.get<VoiceEngine>(VOICE_ENGINE);
    const speakPiece = engine.speak.bind(engine);
    let spoken = 0;
    jest.spyOn(engine, 'speak').mockImplementation(async (...input) => {
      if (spoken++ === 2) throw new VoiceEngineError('failed', 'the engine broke');
      return speakPiece(...input);
    });
    const before = await creditsUsed(stack, owner.keyId);
    await expect(speak(SENTENCES.join(''), '/stream')).rejects.toThrow();
    const sent = SENTENCES[0]! + SENTENCES[1]!;
    await eventually(async () => expect(await creditsUsed(stack, owner.keyId)).toBe(before + sent.length));
    expect((await newest()).text).toBe(sent);
  });

  const recorder = () => stack.api.get(HistoryRecorder, { strict: false });
  const draftOf = (requestId: string) =>
    recorder().begin({
      accountId: owner.accountId,
      keyId: owner.keyId,
      voiceId: owner.voiceId,
      voiceName: 'Harbour',
      modelId: 'eleven_flash_v2_5',
      settings: DEFAULT_VOICE_SETTINGS,
      mediaType: 'audio/pcm;rate=16000',
      outputFormat: 'pcm_16000',
      requestId,
    })!;

  it('a sentence that was stored and not sent is not kept', async () => {
    const draft = draftOf('unsent');
    for (const written of SENTENCES)
      await draft.add(Buffer.from(written), { written, characters: written.length });
    const sent = SENTENCES[0]!.length + SENTENCES[1]!.length;
    const stored = await draft.piecesFor(sent);
    expect(stored?.map(({ written }) => written)).toEqual(SENTENCES.slice(0, 2));
    expect(await stack.api.get(AudioStore).deleteUnreferenced(-1)).toMatchObject({ deleted: 3 });
  });

  it('audio that is deleted with another item while a text is spoken costs the item, not the charge', async () => {
    const draft = draftOf('deleted meanwhile');
    const { length } = TEXT;
    await draft.add(Buffer.from(TEXT), { written: TEXT, characters: length });
    const [piece] = (await draft.piecesFor(length))!;
    await stack.api.get(AudioStore).deleteIfUnused(piece!.audioDigest);
    const charge = jest.fn(async () => {});
    await recorder().finish(draft, { held: length, sent: length, cost: length }, charge);
    expect(charge).toHaveBeenCalledTimes(1);
    expect((await get(`/${draft.item.id}`)).status).toBe(404);
  });

  it('a text that could not be spoken leaves nothing', async () => {
    const { history_item_id: before } = await newest();
    const engine = stack.api.get<VoiceEngine>(VOICE_ENGINE);
    jest.spyOn(engine, 'speak').mockRejectedValue(new VoiceEngineError('failed', 'the engine broke'));
    for (const path of ['', '/stream']) expect((await speak(TEXT, path)).status).toBe(503);
    expect((await newest()).history_item_id).toBe(before);
  });

  it('with enable_logging=false nothing is kept', async () => {
    const [items, audio] = [await listed(), await countAudio()];
    const { status, headers } = await speak('Off the record.', '', '&enable_logging=false');
    expect([status, headers.get('history-item-id')]).toEqual([200, null]);
    expect(await listed()).toEqual(items);
    expect(await countAudio()).toBe(audio);
  });

  it('audio that cannot be stored costs the history item, not the speech', async () => {
    const { history_item_id: before } = await newest();
    const used = await creditsUsed(stack, owner.keyId);
    jest.spyOn(stack.api.get(AudioStore), 'keep').mockRejectedValue(new Error('the store is full'));
    expect((await speak(TEXT)).status).toBe(200);
    expect(await creditsUsed(stack, owner.keyId)).toBe(used + TEXT.length);
    expect((await newest()).history_item_id).toBe(before);
  });

  it('pages follow each other in both directions, and filters narrow them', async () => {
    const all = (await listed()).map((item) => item.history_item_id);
    const walk = async (direction: string) => {
      const found: string[] = [];
      for (let after = '', more = true; more;) {
        const { body } = await get(`?page_size=2&sort_direction=${direction}${after}`);
        found.push(...(body.history as Item[]).map((item) => item.history_item_id));
        more = body.has_more as boolean;
        after = `&start_after_history_item_id=${String(body.last_history_item_id)}`;
      }
      return found;
    };
    expect(all.length).toBeGreaterThan(3);
    expect(await walk('desc')).toEqual(all);
    expect(await walk('asc')).toEqual(all.toReversed());
    expect((await listed('?search=BELL%20rang')).every(({ text }) => text.includes('bell rang'))).toBe(true);
    expect((await listed('?search=BELL%20rang')).length).toBeGreaterThan(0);
    expect(await listed('?search=no%25such')).toEqual([]);
    expect(await listed('?source=STS')).toEqual([]);
    expect(await listed(`?voice_id=${UNKNOWN}`)).toEqual([]);
    expect((await listed(`?voice_id=${owner.voiceId}&model_id=eleven_flash_v2_5`)).length).toBe(all.length);
    const hour = Math.floor(Date.now() / 1_000) - 3_600;
    expect(await listed(`?date_before_unix=${hour}`)).toEqual([]);
    expect((await listed(`?date_after_unix=${hour}`)).length).toBe(all.length);
  });

  it('deleted speech is gone with its audio, and the account sees who deleted it', async () => {
    const { headers } = await speak('This sentence is deleted again, with everything that belongs to it.');
    const id = headers.get('history-item-id')!;
    const audio = await countAudio();
    const remove = () => stack.request('DELETE', `/v1/history/${id}`, { secret: owner.secret });
    expect((await remove()).body).toEqual({ status: 'ok' });
    expect((await get(`/${id}`)).status).toBe(404);
    expect((await remove()).status).toBe(404);
    expect(await countAudio()).toBe(audio - 1);
    const { body } = await stack.request('GET', '/v1/workspace/audit-logs?limit=1', {
      secret: owner.secret,
    });
    expect((body.entries as object[])[0]).toMatchObject({
      activity_name: 'History Item Deletion',
      unmapped: { target_id: id },
    });
  });

  it('what is older than HISTORY_DAYS is deleted, and audio in use is not', async () => {
    const { headers } = await speak('An old sentence that will not be kept for very much longer now.');
    const id = headers.get('history-item-id')!;
    await stack.dataSource.query(
      `UPDATE history_item SET created_at = now() - interval '31 days' WHERE id = $1`,
      [id],
    );
    const stored = (await listed()).length - 1;
    expect(await stack.api.get(AudioStore).deleteUnreferenced(-1)).toMatchObject({ deleted: 0 });
    await expiryOf(stack).expire('history-expiry');
    expect((await listed()).length).toBe(stored);
    expect((await get(`/${id}`)).status).toBe(404);
    expect(await stack.api.get(AudioStore).deleteUnreferenced(-1)).toMatchObject({ deleted: 1 });
  });
});

describe('403', () => {
  it('reading and deleting need their own permissions', async () => {
    const { history_item_id: id } = await newest();
    const reader = await stack.issueKey({
      accountId: owner.accountId,
      permissions: ['speech_history_read'],
    });
    expect((await get(`/${id}`, reader.secret)).status).toBe(200);
    const { status, body } = await stack.request('DELETE', `/v1/history/${id}`, { secret: reader.secret });
    expect([status, body.detail?.code]).toEqual([403, 'insufficient_permissions']);
  });
});

describe('404', () => {
  it("an unknown item, and another account's, are the same", async () => {
    const { history_item_id: id } = await newest();
    const stranger = await stack.issueKey();
    for (const [path, secret] of [
      [`/${UNKNOWN}`, owner.secret],
      ['/no-id', owner.secret],
      [`/${id}`, stranger.secret],
      [`/${id}/audio`, stranger.secret],
      [`?start_after_history_item_id=${id}`, stranger.secret],
    ] as const) {
      const { status, body } = await get(path, secret);
      expect([path, status, body.detail?.code]).toEqual([path, 404, 'history_item_not_found']);
    }
    expect((await get('', stranger.secret)).body.history).toEqual([]);
    const { status } = await stack.request('DELETE', `/v1/history/${id}`, { secret: stranger.secret });
    expect(status).toBe(404);
  });

  it('where HISTORY_DAYS is 0 nothing is kept', async () => {
    const off = await Stack.start({
      worker: false,
      env: { HISTORY_DAYS: '0', METRICS_PORT: String(await freePort()) },
    });
    try {
      const { secret } = await off.issueKey({ tier: 'pro' });
      const created = await makeVoice(off, secret);
      const { status, headers } = await off.request('POST', `/v1/text-to-speech/${created.voiceId}`, {
        secret,
        body: { text: TEXT },
      });
      expect([status, headers.get('history-item-id')]).toEqual([200, null]);
      const { body } = await off.request('GET', '/v1/history', { secret });
      expect(body).toEqual({
        history: [],
        last_history_item_id: null,
        has_more: false,
        scanned_until: null,
      });
    } finally {
      await off.stop();
    }
  });
});

describe('422', () => {
  it.each([
    'page_size=0',
    'page_size=1001',
    'sort_direction=up',
    'source=AN',
    'date_after_unix=-1',
    'date_before_unix=soon',
  ])('%s', async (query) => {
    expect((await get(`?${query}`)).status).toBe(422);
  });
});
