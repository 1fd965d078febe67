import { creditsUsed, makeVoice } from '../support/previews';
import { createBody, designBody } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';

const TEXT = 'The harbour was quiet that morning.';

let upstream: Stack;
let there: IssuedKey;
let stack: Stack;
let here: IssuedKey;

beforeAll(async () => {
  upstream = await Stack.start({ worker: false });
  there = await upstream.issueKey({ tier: 'creator' });
  stack = await Stack.start({ worker: false, env: envFor(there.secret) });
  here = await stack.issueKey({ tier: 'enterprise' });
});

afterAll(async () => {
  await stack?.stop();
  await upstream?.stop();
});

const envFor = (key: string) => ({
  VOICE_ENGINE: 'elevenlabs',
  VOICE_ENGINE_URL: upstream.baseUrl,
  VOICE_ENGINE_API_KEY: key,
  VOICE_ENGINE_ADDRESSES: '127.0.0.1',
});

const spent = async () => [await creditsUsed(stack, here.keyId), await creditsUsed(upstream, there.keyId)];

/** What an operation has cost here, and what it has cost there. */
async function costOf<T>(operation: () => Promise<T>): Promise<[result: T, here: number, there: number]> {
  const before = await spent();
  const result = await operation();
  const after = await spent();
  return [result, after[0]! - before[0]!, after[1]! - before[1]!];
}

const speak = async (voiceId: string, { secret }: IssuedKey, on = stack, end = '') => {
  const response = await fetch(`${on.baseUrl}/v1/text-to-speech/${voiceId}${end}`, {
    method: 'POST',
    headers: { 'xi-api-key': secret, 'content-type': 'application/json' },
    body: JSON.stringify({ text: TEXT }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, bytes, headers: response.headers };
};

it('designs, keeps and speaks with a voice of the upstream, and each charges the same', async () => {
  const [{ voiceId }, ofVoice, ofVoiceThere] = await costOf(() => makeVoice(stack, here.secret));
  expect([ofVoice, ofVoiceThere]).toEqual([designBody().text.length, designBody().text.length]);
  const [voice] = await stack.dataSource.query('SELECT engine, spec FROM voice WHERE id = $1', [voiceId]);
  const { spec } = voice as { spec: { voiceId: string } };
  const theirs = await upstream.request('GET', `/v1/voices/${spec.voiceId}`, { secret: there.secret });
  expect([theirs.status, theirs.body.voice_id]).toEqual([200, spec.voiceId]);
  expect(spec.voiceId).not.toBe(voiceId);
  for (const end of ['', '/stream']) {
    const [{ status, bytes }, cost, costThere] = await costOf(() => speak(voiceId, here, stack, end));
    expect([status, cost, costThere]).toEqual([200, TEXT.length, TEXT.length]);
    expect(bytes.length).toBeGreaterThan(5_000);
  }
  const change = { ...designBody(), voice_description: 'Deeper and slower, please.' };
  const [remixed, cost, costThere] = await costOf(() =>
    stack.request('POST', `/v1/text-to-voice/${voiceId}/remix`, { secret: here.secret, body: change }),
  );
  expect([remixed.status, cost, costThere]).toEqual([200, change.text.length, change.text.length]);
});

it('creates the voice there once, however often it is requested', async () => {
  const designed = await stack.requestUntilServed('POST', '/v1/text-to-voice/design', {
    secret: here.secret,
    body: designBody({ stream_previews: true }),
  });
  const [preview] = designed.body.previews as { generated_voice_id: string }[];
  const body = createBody(preview!.generated_voice_id);
  const create = () => stack.request('POST', '/v1/text-to-voice', { secret: here.secret, body });
  const count = async () => {
    const [row] = await upstream.dataSource.query('SELECT count(*)::int AS voices FROM voice');
    return (row as { voices: number }).voices;
  };
  const before = await count();
  let first = await create();
  while (first.status === 409 || first.status === 425) first = await create();
  const again = await create();
  expect([first.status, again.status, again.body.voice_id]).toEqual([200, 200, first.body.voice_id]);
  expect(await count()).toBe(before + 1);
});

it('a voice that is gone there, and a key that is refused there, are 503 here and cost nothing', async () => {
  const { voiceId } = await makeVoice(stack, here.secret);
  const [voice] = await stack.dataSource.query('SELECT spec FROM voice WHERE id = $1', [voiceId]);
  const { spec } = voice as { spec: { voiceId: string } };
  await upstream.request('DELETE', `/v1/voices/${spec.voiceId}`, { secret: there.secret });
  const [gone, ...costs] = await costOf(() => speak(voiceId, here));
  expect([gone.status, ...costs]).toEqual([503, 0, 0]);
  const other = await Stack.start({ worker: false, env: envFor('sk_0123456789') });
  try {
    const key = await other.issueKey();
    const refused = await other.request('POST', '/v1/text-to-voice/design', {
      secret: key.secret,
      body: designBody(),
    });
    expect(refused.status).toBe(503);
    expect(JSON.stringify(refused.body)).not.toContain('sk_0123456789');
    expect(await creditsUsed(other, key.keyId)).toBe(0);
  } finally {
    await other.stop();
  }
});
