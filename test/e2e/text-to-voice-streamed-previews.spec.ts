import { setTimeout as sleep } from 'node:timers/promises';
import { AbandonedPreviews } from '../../apps/worker/src/housekeeping/abandoned-previews';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { PreviewRepository } from '../../libs/database/voices/preview.repository';
import type { VoiceEngine } from '../../libs/voice-engine/voice-engine';
import { VoiceEngineError } from '../../libs/voice-engine/voice-engine.error';
import { VOICE_ENGINE } from '../../libs/voice-engine/voice-engine.provider';
import { eventually } from '../support/eventually';
import { creditsUsed, designPreviews, framesOf, makeVoice, previewsOf } from '../support/previews';
import { RawConnection } from '../support/raw-connection';
import { createBody, designBody } from '../support/samples';
import { Stack } from '../support/stack';

let stack: Stack;

beforeAll(async () => {
  // Marks say when each was made, and its id: without them the same design has the same bytes.
  stack = await Stack.start({ worker: false, env: { SYNTHETIC_AUDIO_MARKS: 'off' } });
});

afterAll(async () => {
  await stack.stop();
});

const design = (secret: string, changes: Record<string, unknown> = {}, query = '') =>
  stack.requestUntilServed('POST', `/v1/text-to-voice/design${query}`, { secret, body: designBody(changes) });

const stream = (secret: string, id: string) =>
  stack.requestUntilServed('GET', `/v1/text-to-voice/${id}/stream`, { secret });

/** Waits until all of them have been spoken. */
async function streamAll(secret: string, ids: string[]): Promise<void> {
  for (const id of ids) expect((await stream(secret, id)).status).toBe(200);
}

/** The kinds of its ledger lines, oldest first. */
async function ledgerOf(keyId: string): Promise<string[]> {
  const rows = await stack.dataSource.query<{ kind: string }[]>(
    'SELECT kind FROM credit_ledger WHERE key_id = $1 ORDER BY id',
    [keyId],
  );
  return rows.map(({ kind }) => kind);
}

/** Which previews of a key have their audio. */
async function spokenOf(keyId: string): Promise<string[]> {
  const rows = await stack.dataSource.query<{ id: string }[]>(
    'SELECT id FROM preview WHERE key_id = $1 AND audio_digest IS NOT NULL',
    [keyId],
  );
  return rows.map(({ id }) => id);
}

/** Makes the next design of the engine break after it was accepted, as a crashed thread or a lost server does. */
function breakNextDesign(error: Error): void {
  const engine = stack.api.get<VoiceEngine>(VOICE_ENGINE);
  jest.spyOn(engine, 'design').mockImplementationOnce(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    throw error;
  });
}

describe('stream_previews', () => {
  it('returns the ids at once; the stream waits for the audio, which is that of an ordinary design', async () => {
    const { secret } = await stack.issueKey();
    const response = await design(secret, { stream_previews: true }, '?output_format=pcm_16000');
    expect(response.status).toBe(200);
    const previews = previewsOf(response);
    expect(previews.map((preview) => preview.audio_base_64)).toEqual(['', '', '']);
    expect(previews.map((preview) => preview.media_type)).toEqual(Array(3).fill('audio/mpeg'));
    const streams = await Promise.all(previews.map(({ generated_voice_id: id }) => stream(secret, id)));
    const ordinary = previewsOf(await design(secret));
    expect(streams.map(({ bytes }) => bytes.toString('base64'))).toEqual(
      ordinary.map((preview) => preview.audio_base_64),
    );
    expect(streams[0]!.headers.get('content-type')).toBe('audio/mpeg');
    expect(streams.map(({ headers }) => headers.get('generated_voice_id'))).toEqual(
      previews.map((preview) => preview.generated_voice_id),
    );
  });

  it('serves the first while the others are still being spoken, and charges when all are stored', async () => {
    const key = await stack.issueKey();
    const { secret, keyId } = key;
    const changes = { stream_previews: true, text: 'The fog moves slowly over the sea. '.repeat(28) };
    const ids = await designPreviews(stack, key, changes);
    const first = await stream(secret, ids[0]!);
    expect(first.status).toBe(200);
    expect(await spokenOf(keyId)).toEqual([ids[0]]);
    expect(await ledgerOf(keyId)).toEqual(['hold']);
    await streamAll(secret, ids);
    expect(await ledgerOf(keyId)).toEqual(['hold', 'release', 'charge']);
    expect(await creditsUsed(stack, keyId)).toBe(changes.text.length);
  });

  it('keeps what could be heard before another one failed, without a charge', async () => {
    const key = await stack.issueKey();
    const { secret, keyId } = key;
    const engine = stack.api.get<VoiceEngine>(VOICE_ENGINE);
    const speak = engine.design.bind(engine);
    jest.spyOn(engine, 'design').mockImplementationOnce(async (request, signal, onSpoken) => {
      await speak(request, signal, (preview, place) => place === 0 && onSpoken?.(preview, place));
      throw new VoiceEngineError('failed', 'the thread is gone');
    });
    const ids = await designPreviews(stack, key, { stream_previews: true });
    const [first, ...others] = await Promise.all(ids.map(async (id) => stream(secret, id)));
    expect(first!.status).toBe(200);
    expect(others.map(({ body }) => body.detail)).toMatchObject([
      { code: 'preview_failed' },
      { code: 'preview_failed' },
    ]);
    expect(await creditsUsed(stack, keyId)).toBe(0);
    const created = await stack.request('POST', '/v1/text-to-voice', { secret, body: createBody(ids[0]!) });
    expect(created.status).toBe(200);
  });

  it('works for a remix, and its previews become voices', async () => {
    const { secret } = await stack.issueKey();
    const { voiceId } = await makeVoice(stack, secret);
    const response = await stack.request('POST', `/v1/text-to-voice/${voiceId}/remix`, {
      secret,
      body: { ...designBody(), voice_description: 'slower', stream_previews: true },
    });
    const id = previewsOf(response)[0]!.generated_voice_id;
    expect((await stream(secret, id)).status).toBe(200);
    const created = await stack.request('POST', '/v1/text-to-voice', { secret, body: createBody(id) });
    expect(created.status).toBe(200);
  });

  it('gives the credits back when the engine breaks, and the stream and the creation say so', async () => {
    const { secret, keyId } = await stack.issueKey();
    breakNextDesign(new VoiceEngineError('failed', 'the thread is gone'));
    const id = previewsOf(await design(secret, { stream_previews: true }))[0]!.generated_voice_id;
    const response = await stream(secret, id);
    expect(response.status).toBe(409);
    expect(response.body.detail).toMatchObject({ code: 'preview_failed' });
    const created = await stack.request('POST', '/v1/text-to-voice', { secret, body: createBody(id) });
    expect(created.body.detail).toMatchObject({ code: 'preview_failed', param: 'generated_voice_id' });
    expect(await creditsUsed(stack, keyId)).toBe(0);
  });

  it('is refused at once when the queue is full, with the credits back', async () => {
    const { secret, keyId } = await stack.issueKey();
    const engine = stack.api.get<VoiceEngine>(VOICE_ENGINE);
    jest.spyOn(engine, 'plan').mockImplementationOnce(() => {
      throw new VoiceEngineError('queue_full', 'full', { retryAfterSecs: 7 });
    });
    const body = designBody({ stream_previews: true });
    const response = await stack.request('POST', '/v1/text-to-voice/design', { secret, body });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await creditsUsed(stack, keyId)).toBe(0);
  });

  it('nothing looks for a preview any more when its client has gone', async () => {
    const key = await stack.issueKey();
    const [id] = await designPreviews(stack, key, { stream_previews: true });
    await streamAll(key.secret, [id!]);
    await stack.dataSource.query('UPDATE preview SET audio_digest = NULL WHERE id = $1', [id]);
    const checks = jest.spyOn(stack.api.get(PreviewRepository), 'findOwned');
    const client = await RawConnection.to(stack.baseUrl);
    client.send(
      `GET /v1/text-to-voice/${id}/stream HTTP/1.1\r\nHost: x\r\nxi-api-key: ${key.secret}\r\n\r\n`,
    );
    await eventually(() => expect(checks.mock.calls.length).toBeGreaterThan(2));
    client.close();
    await eventually(async () => {
      const before = checks.mock.calls.length;
      await sleep(300);
      expect(checks.mock.calls.length).toBe(before);
    });
    checks.mockRestore();
  });

  it('previews whose process died fail once, and the credits are returned', async () => {
    const key = await stack.issueKey();
    const { secret, keyId } = key;
    const ids = await designPreviews(stack, key, { stream_previews: true });
    const id = ids[0]!;
    await streamAll(secret, ids);
    await stack.dataSource.query(
      `UPDATE preview SET audio_digest = NULL, created_at = now() - interval '1 hour' WHERE key_id = $1`,
      [keyId],
    );
    const waiting = await stack.request('POST', '/v1/text-to-voice', { secret, body: createBody(id) });
    expect(waiting.body.detail).toMatchObject({ code: 'preview_not_ready' });
    expect(waiting.headers.get('retry-after')).toBe('2');
    const abandoned = new AbandonedPreviews(stack.api.get(PreviewRepository), stack.api.get(CreditLedger));
    const halted = stream(secret, id);
    await abandoned.fail();
    await abandoned.fail();
    expect((await halted).body.detail).toMatchObject({ code: 'preview_failed' });
    await eventually(async () => expect(await creditsUsed(stack, keyId)).toBe(0));
  });
});

describe('the header generated_voice_id', () => {
  it('names the first of a design, and a second header all three', async () => {
    const { secret } = await stack.issueKey();
    const response = await design(secret);
    const ids = previewsOf(response).map((preview) => preview.generated_voice_id);
    expect(response.headers.get('generated_voice_id')).toBe(ids[0]);
    expect(response.headers.get('generated_voice_ids')).toBe(ids.join(','));
  });
});

describe('should_enhance', () => {
  it('adds what a short description leaves open, and keeps what was added and what was not understood', async () => {
    const { secret } = await stack.issueKey();
    const changes = { voice_description: 'A narrator of zyzzy documentaries', should_enhance: true };
    const enhanced = previewsOf(await design(secret, changes));
    const plain = previewsOf(await design(secret, { ...changes, should_enhance: false }));
    expect(enhanced[0]!.audio_base_64).not.toBe(plain[0]!.audio_base_64);
    const [row] = await stack.dataSource.query<Record<string, unknown>[]>(
      'SELECT description, understood FROM preview WHERE id = $1',
      [enhanced[0]!.generated_voice_id],
    );
    expect(row).toMatchObject({
      description: changes.voice_description,
      understood: {
        added: 'measured, warm',
        unmatched: expect.arrayContaining(['zyzzy']),
        matched: expect.arrayContaining([expect.objectContaining({ attribute: 'pace' })]),
      },
    });
  });
});

describe('auto_generate_text', () => {
  it('makes up the same text, and so the same audio, for the same seed', async () => {
    const { secret } = await stack.issueKey();
    const changes = { text: null, auto_generate_text: true };
    const [one, other] = [await design(secret, changes), await design(secret, changes)];
    expect(other.body.text).toBe(one.body.text);
    expect(framesOf(previewsOf(other)[2]!)).toBe(framesOf(previewsOf(one)[2]!));
  });
});

describe('reference recordings', () => {
  const reference = { reference_audio_base64: 'UklGRg==', prompt_strength: 0.5 };

  it('are accepted with the model that has them, and noted as without effect', async () => {
    const { secret } = await stack.issueKey();
    const [preview] = previewsOf(await design(secret, { ...reference, model_id: 'eleven_ttv_v3' }));
    const [row] = await stack.dataSource.query<Record<string, unknown>[]>(
      'SELECT understood FROM preview WHERE id = $1',
      [preview!.generated_voice_id],
    );
    expect(row).toMatchObject({
      understood: { withoutEffect: ['reference_audio_base64', 'prompt_strength'] },
    });
  });

  it('are refused with the model that has not', async () => {
    const { secret, keyId } = await stack.issueKey();
    const { status, body } = await design(secret, reference);
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([
      { loc: ['body', 'reference_audio_base64'] },
      { loc: ['body', 'prompt_strength'], input: 0.5 },
    ]);
    expect(await creditsUsed(stack, keyId)).toBe(0);
  });
});
