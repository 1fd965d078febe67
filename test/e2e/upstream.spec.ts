import { randomBytes } from 'node:crypto';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { OperationWatch } from '../../libs/operations/operation-watch';
import { UpstreamAccount, upstreamClient, upstreamOptions } from '../../libs/voice-engine/upstream-account';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import { VoiceImportsModule } from '../../libs/administration/voice-imports.module';
import { VoiceImportsService } from '../../libs/administration/voices/voice-imports.service';
import { withServices } from '../../src/cli/cli.module';
import { expiryOf } from '../support/expiry';
import { creditsUsed, makeVoice } from '../support/previews';
import { createBody, designBody } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';
import { withUpstream } from '../support/upstream';

const TEXT = 'The harbour was quiet that morning.';

let upstream: Stack;
let there: IssuedKey;
let stack: Stack;
let here: IssuedKey;

beforeAll(async () => {
  upstream = await Stack.start({ worker: false });
  there = await upstream.issueKey({ tier: 'creator' });
  stack = await Stack.start({ worker: false, env: withUpstream(upstream.baseUrl, there.secret) });
  here = await stack.issueKey({ tier: 'enterprise' });
});

afterAll(async () => {
  await stack?.stop();
  await upstream?.stop();
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

it('charges what the upstream took for the pieces of a text, and says when its characters are spoken', async () => {
  const { voiceId } = await makeVoice(stack, here.secret);
  const text = 'The harbour was quiet. Nobody came.';
  const [{ body, headers }, cost, costThere] = await costOf(() =>
    stack.request('POST', `/v1/text-to-speech/${voiceId}/with-timestamps`, {
      secret: here.secret,
      body: { text },
    }),
  );
  expect([cost, headers.get('character-cost')]).toEqual([costThere, String(costThere)]);
  expect(cost).toBeLessThanOrEqual(text.length);
  const alignment = body.alignment as Record<string, (string | number)[]>;
  expect(alignment.characters!.join('')).toBe(text);
  const ends = alignment.character_end_times_seconds as number[];
  expect(ends.toSorted((a, b) => a - b)).toEqual(ends);
  expect(ends.at(-1)).toBeGreaterThan(1);
});

it('settles a request whose process has ended by what the upstream took, or with nothing', async () => {
  const { voiceId } = await makeVoice(upstream, there.secret);
  const ledger = stack.api.get(CreditLedger, { strict: false });
  const { accountId, keyId } = here;
  const ids = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
  const [, cost, costThere] = await costOf(async () => {
    for (const requestId of ids)
      await ledger.charge({
        accountId,
        keyId,
        requestId,
        cost: 100,
        operation: 'text_to_speech',
        holdSecs: 60,
      });
    await upstream.request('POST', `/v1/text-to-speech/${voiceId}`, {
      secret: there.secret,
      body: { text: TEXT },
      headers: { 'x-end-user': ids[0]! },
    });
    await expiryOf(stack).expire('credit-holds');
  });
  expect([cost, costThere]).toEqual([TEXT.length, TEXT.length]);
});

it('charges what the upstream took beyond what was held, once', async () => {
  const ledger = stack.api.get(CreditLedger, { strict: false });
  const { accountId, keyId } = here;
  const request = { accountId, keyId, requestId: randomBytes(16).toString('hex') };
  const [, cost] = await costOf(async () => {
    await ledger.charge({ ...request, cost: 10, operation: 'text_to_speech', holdSecs: 60 });
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await ledger.chargeBeyond(accountId, request.requestId, 25)).toBe(10);
    await ledger.capture(accountId, request.requestId, 10);
  });
  expect(cost).toBe(25);
});

const checkOf = async ({ api }: Stack) =>
  (await api.get(OperationWatch, { strict: false }).read()).find(({ check }) => check === 'upstream');

it('imports the voices of the upstream under ids of its own, with theirs as aliases, once', async () => {
  const { voiceId } = await makeVoice(upstream, there.secret);
  const { accountId, secret } = await stack.issueKey({ tier: 'enterprise' });
  const importAll = async (apply: boolean) =>
    withServices(
      stack.config,
      async (services) => {
        const account = new UpstreamAccount(upstreamClient(upstreamOptions(stack.config)!));
        const request = { accountId, actor: byCommandLine(), reason: 'moving here', apply };
        const outcomes: string[] = [];
        const imports = services.get(VoiceImportsService, { strict: false });
        for await (const { upstreamId, outcome } of imports.import(account, request))
          if (upstreamId === voiceId) outcomes.push(outcome);
        return outcomes;
      },
      [VoiceImportsModule],
    );
  expect(await importAll(false)).toEqual(['new']);
  expect((await stack.request('GET', `/v1/voices/${voiceId}`, { secret })).status).toBe(404);
  expect([await importAll(true), await importAll(true)]).toEqual([['imported'], ['known']]);
  const { body } = await stack.request('GET', `/v1/voices/${voiceId}`, { secret });
  expect(body.voice_id).not.toBe(voiceId);
  const { status, bytes } = await speak(voiceId, { ...here, secret });
  expect([status, bytes.length > 5_000]).toEqual([200, true]);
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
  const other = await Stack.start({ worker: false, env: withUpstream(upstream.baseUrl, 'sk_0123456789') });
  try {
    const key = await other.issueKey();
    const refused = await other.request('POST', '/v1/text-to-voice/design', {
      secret: key.secret,
      body: designBody(),
    });
    expect(refused.status).toBe(503);
    expect(JSON.stringify(refused.body)).not.toContain('sk_0123456789');
    expect(await creditsUsed(other, key.keyId)).toBe(0);
    expect(await checkOf(other)).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('(401)'),
    });
    expect(await checkOf(stack)).toMatchObject({ status: 'ok', detail: expect.stringContaining('left') });
  } finally {
    await other.stop();
  }
});
