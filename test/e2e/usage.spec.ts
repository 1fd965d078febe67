import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { randomUUID } from 'node:crypto';
import { TIERS } from '../../libs/domain/accounts/tiers';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { chargeDaysAgo, daysAgo } from '../support/charges';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const dayText = (date: Date) => date.toISOString().slice(0, 10);

let stack: Stack;
let support: StaffClient;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  support = await StaffClient.signedIn(stack, 'support');
});

afterAll(async () => {
  await stack.stop();
});

const charge = (key: IssuedKey, cost: number, operation: string, days?: number) =>
  chargeDaysAgo(stack, key, { cost, operation, days });

const RANGE = () => `start_unix=${daysAgo(2).getTime()}&end_unix=${Date.now()}`;
const stats = ({ secret }: IssuedKey, query: string) =>
  stack.request('GET', `/v1/usage/character-stats?${query}`, { secret });
const usageOf = (accountId: string, query = '') => support.get(`/admin/accounts/${accountId}/usage${query}`);

describe('200', () => {
  it('the client library reads what the account has used by day, refunds where they were spent', async () => {
    const key = await stack.issueKey();
    await charge(key, 70, 'text_to_voice_design', 2);
    const refunded = await charge(key, 30, 'text_to_voice_design', 1);
    await charge(key, 5, 'text_to_voice_remix');
    await stack.api.get(CreditLedger).refund(key.accountId, refunded);
    const client = new ElevenLabsClient({ apiKey: key.secret, baseUrl: stack.baseUrl });
    const response = await client.usage.get({ startUnix: daysAgo(2).getTime(), endUnix: Date.now() });
    expect(response).toEqual({
      time: [2, 1, 0].map((days) => daysAgo(days).getTime()),
      usage: { All: [70, 0, 5] },
    });
  });

  it('as CSV for staff: every day, key and operation of the days that are asked for', async () => {
    const key = await stack.issueKey({ name: '=Web' });
    await charge(key, 70, 'text_to_voice_design', 2);
    await charge(key, 5, 'text_to_voice_remix');
    await charge(key, 9, 'text_to_voice_remix', 40);
    const { headers, text } = await usageOf(key.accountId, `/export?from=${dayText(daysAgo(20))}`);
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(text.trim().split('\r\n')).toEqual([
      '\ufeffday,key_id,key,operation,credits,requests'.trim(),
      `${dayText(new Date())},${key.keyId},"'=Web",text_to_voice_remix,5,1`,
      `${dayText(daysAgo(2))},${key.keyId},"'=Web",text_to_voice_design,70,1`,
    ]);
    expect((await usageOf(randomUUID(), '/export')).status).toBe(404);
  });

  it('by operation, and by key, whose names may be the same', async () => {
    const key = await stack.issueKey({ name: 'web' });
    const same = await stack.issueKey({ name: 'web', accountId: key.accountId });
    const other = await stack.issueKey({ name: 'batch', accountId: key.accountId });
    await charge(key, 10, 'text_to_voice_design');
    await charge(same, 20, 'text_to_voice_design');
    await charge(other, 40, 'text_to_voice_remix', 1);
    const byOperation = await stats(key, `${RANGE()}&breakdown_type=product_type`);
    expect(byOperation.body.usage).toEqual({
      text_to_voice_design: [0, 0, 30],
      text_to_voice_remix: [0, 40, 0],
    });
    const byKey = `${RANGE()}&breakdown_type=api_keys&include_workspace_metrics=True`;
    expect((await stats(key, byKey)).body.usage).toEqual({
      [`web (${key.keyId})`]: [0, 0, 10],
      [`web (${same.keyId})`]: [0, 0, 20],
      batch: [0, 40, 0],
    });
    expect((await stats(key, `${RANGE()}&metric=request_count`)).body.usage).toEqual({ All: [0, 1, 2] });
    expect((await stats(key, `${RANGE()}&aggregation_interval=cumulative`)).body).toEqual({
      time: [daysAgo(2).getTime()],
      usage: { All: [70] },
    });
  });

  it('an account that has used nothing has zeros, and an empty range has no spans', async () => {
    const key = await stack.issueKey();
    expect((await stats(key, RANGE())).body.usage).toEqual({ All: [0, 0, 0] });
    expect((await stats(key, `${RANGE()}&breakdown_type=product_type`)).body.usage).toEqual({});
    expect((await stats(key, 'start_unix=5&end_unix=5')).body).toEqual({ time: [], usage: { All: [] } });
  });

  it('a range from 1970 on, as Home Assistant asks for it, begins with the first day of the account', async () => {
    const key = await stack.issueKey();
    const opened = new Date(daysAgo(3).getTime() + 3_600_000);
    await stack.asOwner('UPDATE account SET created_at = $2 WHERE id = $1', [key.accountId, opened]);
    await charge(key, 40, 'text_to_voice_design', 3);
    await charge(key, 2, 'text_to_voice_design');
    const time = [3, 2, 1, 0].map((days) => daysAgo(days).getTime());
    const everything = `start_unix=1&end_unix=${Date.now()}`;
    for (const interval of ['', '&aggregation_interval=day', '&aggregation_bucket_size=86400']) {
      const { status, body } = await stats(key, everything + interval);
      expect([interval, status, body]).toEqual([interval, 200, { time, usage: { All: [40, 0, 0, 2] } }]);
    }
    const { body } = await stats(key, 'start_unix=1&end_unix=900000000000');
    expect(body).toEqual({ time: [], usage: { All: [] } });
    const byMonth = await stats(key, `${everything}&aggregation_interval=month`);
    expect((byMonth.body.time as number[])[0]).toBe(0);
  });

  it('staff see it by day, key and operation, in pages that add up to the balance', async () => {
    const key = await stack.issueKey({ name: 'web' });
    const other = await stack.issueKey({ name: 'batch', accountId: key.accountId });
    await charge(key, 10, 'text_to_voice_design');
    await charge(key, 1, 'text_to_voice_design');
    await charge(key, 7, 'text_to_voice_remix');
    await charge(other, 40, 'text_to_voice_design', 1);
    const pages = [];
    let cursor = '';
    do {
      const { status, body } = await usageOf(key.accountId, `?limit=2${cursor && `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      pages.push(body);
      cursor = (body.next_cursor as string | null) ?? '';
    } while (cursor !== '');
    expect(pages.flatMap(({ items }) => items)).toEqual([
      { ...item(key, 'web', 'text_to_voice_remix', 7, 1), day: dayText(daysAgo(0)) },
      { ...item(key, 'web', 'text_to_voice_design', 11, 2), day: dayText(daysAgo(0)) },
      { ...item(other, 'batch', 'text_to_voice_design', 40, 1), day: dayText(daysAgo(1)) },
    ]);
    const ofOther = await usageOf(key.accountId, `?key_id=${other.keyId}`);
    expect(ofOther.body).toMatchObject({ total: 1, credits: 40, requests: 1 });
    expect(ofOther.body.items).toEqual([
      { ...item(other, 'batch', 'text_to_voice_design', 40, 1), day: dayText(daysAgo(1)) },
    ]);
    const [balance] = await stack.dataSource.query<{ used: string }[]>(
      'SELECT used FROM credit_balance WHERE subject_id = $1',
      [key.accountId],
    );
    expect(pages[0]).toMatchObject({ total: 3, credits: Number(balance?.used), requests: 4 });
  });

  const item = (
    { keyId }: IssuedKey,
    name: string,
    operation: string,
    credits: number,
    requests: number,
  ) => ({
    key_id: keyId,
    key_name: name,
    operation,
    credits,
    requests,
  });
});

describe('the account at a glance', () => {
  it('by day, told apart by key or operation: the six that used most, the others together, nothing missing', async () => {
    const keys: IssuedKey[] = [];
    for (let place = 0; place < 8; place++) {
      const key = await stack.issueKey({ name: `key ${place}`, accountId: keys[0]?.accountId });
      keys.push(key);
      await charge(key, 100 - place, 'text_to_voice_design', place % 2);
    }
    const { accountId } = keys[0]!;
    const range = `from=${dayText(daysAgo(1))}&to=${dayText(daysAgo(0))}`;
    const byKey = await usageOf(accountId, `/by-day?by=key&${range}`);
    expect([byKey.status, byKey.body]).toEqual([
      200,
      {
        from: dayText(daysAgo(1)),
        to: dayText(daysAgo(0)),
        by: 'key',
        series: keys.slice(0, 6).map(({ keyId }, place) => ({
          id: keyId,
          name: `key ${place}`,
          credits: place % 2 ? [100 - place, 0] : [0, 100 - place],
          requests: place % 2 ? [1, 0] : [0, 1],
        })),
        others: { count: 2, credits: [93, 94], requests: [1, 1] },
        prepaid: [0, 0],
      },
    ]);
    const byOperation = await usageOf(accountId, `/by-day?${range}`);
    expect(byOperation.body).toMatchObject({
      by: 'operation',
      series: [{ id: 'text_to_voice_design', credits: [384, 388], requests: [4, 4] }],
      others: { count: 0, credits: [0, 0] },
    });
    const month = (await usageOf(accountId, '/by-day')).body as { series: { credits: number[] }[] };
    expect(month.series[0]!.credits).toHaveLength(30);
  });

  it('the forecast continues the last week and says when the credits run out', async () => {
    const key = await stack.issueKey({ tier: 'free' });
    const openDays = (days: number) =>
      stack.asOwner('UPDATE account SET created_at = now() - make_interval(days => $2) WHERE id = $1', [
        key.accountId,
        days,
      ]);
    const limit = TIERS.free.credits;
    await charge(key, limit / 2, 'text_to_voice_design');
    const young = await usageOf(key.accountId, '/forecast');
    expect([young.status, young.body]).toMatchObject([200, { based_on_days: 1, credits_per_day: limit / 2 }]);
    const inDays = (Date.parse(String(young.body.runs_out_at)) - Date.now()) / 86_400_000;
    expect(inDays).toBeCloseTo(1, 2);
    await openDays(100);
    const old = (await usageOf(key.accountId, '/forecast')).body;
    expect(old).toMatchObject({ based_on_days: 7, credits_per_day: Math.round(limit / 14) });
    expect((Date.parse(String(old.runs_out_at)) - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
    expect(Number(old.used_at_period_end)).toBeGreaterThan(limit);
  });

  it('an account that has used nothing has no series, and nothing runs out', async () => {
    const { accountId } = await stack.issueKey();
    expect((await usageOf(accountId, '/by-day')).body).toMatchObject({ series: [], others: { count: 0 } });
    expect((await usageOf(accountId, '/forecast')).body).toMatchObject({
      credits_per_day: 0,
      used_at_period_end: 0,
      runs_out_at: null,
    });
  });
});

describe('refusals', () => {
  it('no account, no session, and a day or a series that does not exist', async () => {
    const { accountId } = await stack.issueKey();
    for (const path of ['/by-day', '/forecast']) {
      expect((await usageOf(randomUUID(), path)).status).toBe(404);
      const visitor = new StaffClient(stack.baseUrl);
      expect((await visitor.get(`/admin/accounts/${accountId}/usage${path}`)).status).toBe(401);
    }
    for (const query of ['by=colour', 'from=2026-02-30', 'to=yesterday', 'from=2020-01-01&to=2026-01-01'])
      expect([query, (await usageOf(accountId, `/by-day?${query}`)).status]).toEqual([query, 422]);
  });

  it('no permission, no session, no such account', async () => {
    const key = await stack.issueKey({ permissions: ['voices_read'] });
    expect((await stats(key, RANGE())).status).toBe(403);
    expect((await new StaffClient(stack.baseUrl).get(`/admin/accounts/${key.accountId}/usage`)).status).toBe(
      401,
    );
    expect((await usageOf(randomUUID())).status).toBe(404);
    expect((await usageOf('nonsense')).status).toBe(404);
  });

  it.each([
    ['start_unix', 'end_unix=5'],
    ['start_unix', 'start_unix=&end_unix=5'],
    ['start_unix', 'start_unix=-1&end_unix=5'],
    ['start_unix', 'start_unix=1.5&end_unix=5'],
    ['start_unix', 'start_unix=1&start_unix=2&end_unix=5'],
    ['start_unix', 'start_unix=%00&end_unix=5'],
    ['end_unix', 'start_unix=1&end_unix=99999999999999999999'],
    ['end_unix', 'start_unix=5&end_unix=4'],
    ['end_unix', 'start_unix=0&end_unix=253402300799999&aggregation_interval=hour'],
    ['aggregation_interval', 'start_unix=1&end_unix=5&aggregation_interval=year'],
    ['aggregation_bucket_size', 'start_unix=1&end_unix=5&aggregation_bucket_size=0'],
    ['breakdown_type', 'start_unix=1&end_unix=5&breakdown_type=voice'],
    ['metric', 'start_unix=1&end_unix=5&metric=ttfb_avg'],
    ['include_workspace_metrics', 'start_unix=1&end_unix=5&breakdown_type=api_keys'],
  ])('422 for %s: %s', async (field, query) => {
    const { status, body } = await stats(await stack.issueKey(), query);
    expect([status, body.detail?.[0]]).toMatchObject([422, { loc: ['query', field] }]);
  });

  it.each([
    ['from', 'from=yesterday'],
    ['from', 'from=2026-02-30'],
    ['from', 'from=2026-03-01&to=2026-02-01'],
    ['from', 'from=1999-01-01&to=2026-02-01'],
    ['to', 'to=2026-01-01T00:00:00Z'],
    ['limit', 'limit=0'],
    ['key_id', 'key_id=none'],
  ])('422 for staff, %s: %s', async (field, query) => {
    const { status, body } = await usageOf(await stack.openAccount(), `?${query}`);
    expect([status, body.errors]).toMatchObject([422, [{ parameter: field }]]);
  });
});
