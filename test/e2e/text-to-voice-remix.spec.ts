import { creditsUsed, distance, framesOf, makeVoice, measure, previewsOf } from '../support/previews';
import { createBody, DESCRIPTION, TEXT } from '../support/samples';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

const remix = (secret: string, voiceId: string, body: unknown, query = '') =>
  stack.request('POST', `/v1/text-to-voice/${voiceId}/remix${query}`, { secret, body });

const change = (changes: Record<string, unknown> = {}) => ({
  voice_description: 'deeper and slower',
  text: TEXT,
  seed: 11,
  ...changes,
});

describe('what staff decide against a voice', () => {
  const decide = async (voiceId: string, state: 'held' | 'taken_down' | 'released') => {
    const support = await StaffClient.signedIn(stack, 'support');
    const path = `/admin/voices/${voiceId}/safety`;
    const body = { state, reason: 'A complaint', notice: 'It is the voice of an actor' };
    expect((await support.send('PUT', path, body, { 'if-match': '*' })).status).toBe(200);
  };
  const play = async (secret: string, previewId: string) =>
    (await stack.request('GET', `/v1/text-to-voice/${previewId}/stream`, { secret })).status;
  const create = (secret: string, previewId: string) =>
    stack.request('POST', '/v1/text-to-voice', { secret, body: createBody(previewId) });
  const safetyOf = async (secret: string, voiceId: string) =>
    (await stack.request('GET', `/v1/voices/${voiceId}`, { secret })).body.safety_control;
  const speak = (secret: string, voiceId: string) =>
    stack.request('POST', `/v1/text-to-speech/${voiceId}`, { secret, body: { text: 'Good morning.' } });
  const remixed = async (secret: string, voiceId: string) =>
    previewsOf(await remix(secret, voiceId, change())).map((preview) => preview.generated_voice_id);

  it('reaches previews that came of it, until it is released', async () => {
    const { secret } = await stack.issueKey();
    const { voiceId } = await makeVoice(stack, secret);
    const [preview] = await remixed(secret, voiceId);
    expect(await play(secret, preview!)).toBe(200);
    await decide(voiceId, 'taken_down');
    expect(await play(secret, preview!)).toBe(403);
    const refused = await create(secret, preview!);
    expect([refused.status, refused.body.detail?.code]).toEqual([403, 'voice_held']);
    await decide(voiceId, 'released');
    expect(await play(secret, preview!)).toBe(200);
    expect((await create(secret, preview!)).status).toBe(200);
  });

  it('reaches voices that came of it over others, what it has spoken, and what outlives it', async () => {
    const { secret } = await stack.issueKey();
    const { voiceId } = await makeVoice(stack, secret);
    const [first, second] = await remixed(secret, voiceId);
    const child = (await create(secret, first!)).body.voice_id as string;
    const grandchild = (await create(secret, (await remixed(secret, child))[0]!)).body.voice_id as string;
    const spoken = await speak(secret, voiceId);
    const audio = async () =>
      (await stack.request('GET', `/v1/history/${spoken.headers.get('history-item-id')}/audio`, { secret }))
        .status;
    expect([spoken.status, await audio()]).toEqual([200, 200]);

    await decide(voiceId, 'taken_down');
    expect([await safetyOf(secret, child), await safetyOf(secret, grandchild)]).toEqual(['BAN', 'BAN']);
    expect([(await speak(secret, grandchild)).status, await audio()]).toEqual([403, 403]);
    await decide(grandchild, 'held');
    await decide(voiceId, 'released');
    expect([await safetyOf(secret, child), await safetyOf(secret, grandchild)]).toEqual([null, 'CAPTCHA']);

    await decide(voiceId, 'taken_down');
    expect((await stack.request('DELETE', `/v1/voices/${voiceId}`, { secret })).status).toBe(200);
    expect([await safetyOf(secret, child), await play(secret, second!)]).toEqual(['BAN', 404]);
    expect((await create(secret, second!)).status).toBe(404);
  });
});

describe('200', () => {
  it('"deeper and slower" is measurably so in all three previews, for the length of the text', async () => {
    const key = await stack.issueKey();
    const { voiceId, preview } = await makeVoice(stack, key.secret, {
      voice_description: 'A clear woman with a friendly voice',
    });
    const response = await remix(key.secret, voiceId, change());
    expect(response.status).toBe(200);
    expect(response.headers.get('character-cost')).toBe('100');
    const before = await measure(preview);
    const lines = [`before: ${before.hz.toFixed(0)} Hz, ${before.secs.toFixed(2)} s`];
    for (const changed of previewsOf(response)) {
      const after = await measure(changed);
      lines.push(`after: ${after.hz.toFixed(0)} Hz, ${after.secs.toFixed(2)} s`);
      expect(after.hz).toBeLessThan(before.hz * 0.93);
      expect(after.secs).toBeGreaterThan(before.secs * 1.08);
    }
    console.info(lines.join('\n'));
    expect(await creditsUsed(stack, key.keyId)).toBe(200);
  });

  it('a preview of a remix becomes a voice, which can be remixed again; the first voice stays as it was', async () => {
    const { secret } = await stack.issueKey();
    const { voiceId } = await makeVoice(stack, secret);
    const specOf = (id: string) => stack.dataSource.query('SELECT spec FROM voice WHERE id = $1', [id]);
    const before = await specOf(voiceId);
    const [preview] = previewsOf(await remix(secret, voiceId, change()));
    const created = await stack.request('POST', '/v1/text-to-voice', {
      secret,
      body: {
        voice_name: 'Deeper',
        voice_description: DESCRIPTION,
        generated_voice_id: preview!.generated_voice_id,
      },
    });
    expect((await remix(secret, created.body.voice_id as string, change())).status).toBe(200);
    expect(await specOf(voiceId)).toEqual(before);
  });

  it('keeps where a preview comes from: the voice, the session, and a new round unless one is named', async () => {
    const { secret } = await stack.issueKey();
    const { voiceId } = await makeVoice(stack, secret);
    const originOf = async (session: Record<string, unknown>) => {
      const [preview] = previewsOf(await remix(secret, voiceId, change(session)));
      const [row] = await stack.dataSource.query<Record<string, unknown>[]>(
        `SELECT remixed_voice_id, remixing_session_id, remixing_session_iteration_id, understood
         FROM preview WHERE id = $1`,
        [preview!.generated_voice_id],
      );
      return row;
    };
    expect(await originOf({ remixing_session_id: 's-1' })).toMatchObject({
      remixed_voice_id: voiceId,
      remixing_session_id: 's-1',
      remixing_session_iteration_id: expect.stringMatching(/^\w{20}$/),
      understood: { matched: expect.arrayContaining([expect.objectContaining({ attribute: 'pitch' })]) },
    });
    const named = { remixing_session_id: 's-1', remixing_session_iteration_id: 'i-2' };
    expect(await originOf(named)).toMatchObject(named);
    expect(await originOf({})).toMatchObject({
      remixing_session_id: null,
      remixing_session_iteration_id: null,
    });
  });

  it('prompt_strength says how far the voice moves', async () => {
    const { secret } = await stack.issueKey();
    const { voiceId } = await makeVoice(stack, secret, {
      voice_description: 'A clear woman with a friendly voice',
    });
    const pitch = async (prompt_strength: number) => {
      const [preview] = previewsOf(await remix(secret, voiceId, change({ prompt_strength })));
      return (await measure(preview!)).hz;
    };
    const [little, much] = [await pitch(0.1), await pitch(0.9)];
    expect(much).toBeLessThan(little * 0.85);
  });

  it('the same seed speaks the same, another does not, and the three differ', async () => {
    const { secret } = await stack.issueKey();
    const { voiceId } = await makeVoice(stack, secret);
    const audio = async (seed: number) =>
      previewsOf(await remix(secret, voiceId, change({ seed }))).map(framesOf);
    const first = await audio(1);
    expect(await audio(1)).toEqual(first);
    expect(new Set([...first, ...(await audio(2))]).size).toBe(6);
  });
});

describe('the three previews of one design', () => {
  it('differ in pitch, spectrum or tempo', async () => {
    const { secret } = await stack.issueKey();
    const body = { voice_description: DESCRIPTION, text: TEXT, seed: 7 };
    const response = await stack.request('POST', '/v1/text-to-voice/design', { secret, body });
    const [a, b, c] = previewsOf(response);
    const lines: string[] = [];
    for (const [one, other] of [
      [a!, b!],
      [a!, c!],
      [b!, c!],
    ] as const) {
      const { semitones, spectrumDb, tempo } = await distance(one, other);
      lines.push(
        `${semitones.toFixed(1)} semitones, ${spectrumDb.toFixed(1)} dB, ${(100 * tempo).toFixed(1)} % tempo`,
      );
      expect(semitones / 1.5 + spectrumDb / 3 + tempo / 0.1).toBeGreaterThan(1.5);
    }
    console.info(lines.join('\n'));
  });
});

describe('404', () => {
  it("unknown and another account's voice: byte for byte the same, and nothing is charged", async () => {
    const [mine, other] = await Promise.all([stack.issueKey(), stack.issueKey()]);
    const { voiceId } = await makeVoice(stack, other.secret);
    const foreign = await remix(mine.secret, voiceId, change());
    await stack.dataSource.query('DELETE FROM voice_sample WHERE voice_id = $1', [voiceId]);
    await stack.dataSource.query('DELETE FROM voice WHERE id = $1', [voiceId]);
    const unknown = await remix(mine.secret, voiceId, change());
    const withoutId = ({ status, body }: typeof foreign) =>
      JSON.stringify({ status, ...body.detail, request_id: '' });
    expect(foreign.status).toBe(404);
    expect(withoutId(foreign)).toBe(withoutId(unknown));
    for (const id of ['..%2f..', 'a%00b', '%F0%9F%98%80', 'x'.repeat(200)])
      expect((await remix(mine.secret, id, change())).status).toBe(404);
    expect(await creditsUsed(stack, mine.keyId)).toBe(0);
  });
});
