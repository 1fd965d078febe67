import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { createHash } from 'node:crypto';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { chargeDaysAgo, daysAgo } from '../support/charges';
import { Stack, type IssuedKey } from '../support/stack';

const USAGE = '/v1/workspace/analytics/query/usage-by-product-over-time';
const REQUESTS = '/v1/workspace/analytics/requests';
const DAY_SECS = 86_400;

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

interface Table {
  columns: string[];
  column_types: string[];
  column_units: (string | null)[];
  rows: (string | number | null)[][];
}

const charge = (key: IssuedKey, cost: number, operation: string, days?: number) =>
  chargeDaysAgo(stack, key, { cost, operation, days });
const hashOf = ({ secret }: IssuedKey) => createHash('sha256').update(secret).digest('hex');
const RANGE = () => ({ start_time: daysAgo(2).getTime(), end_time: Date.now() });
const day = (days: number) => daysAgo(days).toISOString();
const at = (days: number) => new Date(daysAgo(days).getTime() + 1_000).toISOString();

async function table(path: string, { secret }: IssuedKey, fields: object = {}): Promise<Table> {
  const body = { ...RANGE(), ...(path === USAGE && { interval_seconds: DAY_SECS }), ...fields };
  const response = await stack.request('POST', path, { secret, body });
  expect(response.status).toBe(200);
  return response.body as unknown as Table;
}

const rows = async (path: string, key: IssuedKey, fields?: object) => (await table(path, key, fields)).rows;

/** An account with three charges by two keys, one of them given back. */
async function spender() {
  const web = await stack.issueKey({ name: 'web' });
  const batch = await stack.issueKey({ name: 'batch', accountId: web.accountId });
  const first = await charge(web, 70, 'text_to_voice_design', 2);
  const refunded = await charge(batch, 30, 'text_to_voice_design', 1);
  const last = await charge(batch, 5, 'text_to_voice_remix');
  await stack.api.get(CreditLedger).refund(web.accountId, refunded);
  return { web, batch, first, refunded, last };
}

describe('200', () => {
  it('usage is a table of the spans in which something was used, which the client library reads', async () => {
    const { web } = await spender();
    const client = new ElevenLabsClient({ apiKey: web.secret, baseUrl: stack.baseUrl, maxRetries: 0 });
    const read = await client.workspace.usage.getUsageByProductOverTime({
      startTime: RANGE().start_time,
      endTime: Date.now(),
      intervalSeconds: DAY_SECS,
    });
    expect(read).toEqual({
      columns: ['timestamp', 'credits', 'request_count'],
      columnTypes: ['DateTime', 'Float', 'Int'],
      columnUnits: [undefined, 'credits', undefined],
      rows: [
        [day(2), 70, 1],
        [day(1), 0, 1],
        [day(0), 5, 1],
      ],
    });
  });

  it('usage by product, by key, and by both', async () => {
    const { web, batch } = await spender();
    const byProduct = await table(USAGE, web, { group_by: ['product_type'] });
    expect(byProduct.columns).toEqual(['timestamp', 'product_type', 'credits', 'request_count']);
    expect(byProduct.rows).toEqual([
      [day(2), 'text_to_voice_design', 70, 1],
      [day(1), 'text_to_voice_design', 0, 1],
      [day(0), 'text_to_voice_remix', 5, 1],
    ]);
    expect(await rows(USAGE, web, { group_by: ['hashed_xi_api_key'] })).toEqual([
      [day(2), hashOf(web), 70, 1],
      [day(1), hashOf(batch), 0, 1],
      [day(0), hashOf(batch), 5, 1],
    ]);
    const both = { group_by: ['hashed_xi_api_key', 'product_type'] };
    expect(await rows(USAGE, web, both)).toEqual([
      [day(2), hashOf(web), 'text_to_voice_design', 70, 1],
      [day(1), hashOf(batch), 'text_to_voice_design', 0, 1],
      [day(0), hashOf(batch), 'text_to_voice_remix', 5, 1],
    ]);
  });

  it('filters keep or leave out products and keys', async () => {
    const { web, batch } = await spender();
    const used = async (...filters: object[]) =>
      (await rows(USAGE, web, { filters })).reduce((sum, row) => sum + Number(row[1]), 0);
    const product = (operation: string, ...values: string[]) => ({
      column: 'product_type',
      operation,
      values,
    });
    const key = (operation: string, ...values: string[]) => ({
      column: 'hashed_xi_api_key',
      operation,
      values,
    });
    expect(await used(product('eq', 'text_to_voice_remix'))).toBe(5);
    expect(await used(product('not_in', 'text_to_voice_remix', 'unknown'))).toBe(70);
    expect(await used(key('in', hashOf(batch)))).toBe(5);
    expect(await used(key('neq', hashOf(batch)))).toBe(70);
    expect(await used(key('in', hashOf(web), hashOf(batch)), product('neq', 'text_to_voice_design'))).toBe(5);
    expect(await used(key('in', 'unknown'))).toBe(0);
    expect(await used(key('in'))).toBe(0);
  });

  it('the request log says what each request has cost in the end', async () => {
    const { web, batch, first, refunded, last } = await spender();
    const log = await table(REQUESTS, web);
    expect(log).toEqual({
      columns: ['timestamp', 'request_id', 'product_type', 'hashed_xi_api_key', 'credits', 'end_user'],
      column_types: ['DateTime', 'String', 'String', 'String', 'Float', 'String'],
      column_units: [null, null, null, null, 'credits', null],
      rows: [
        [at(0), last, 'text_to_voice_remix', hashOf(batch), 5, null],
        [at(1), refunded, 'text_to_voice_design', hashOf(batch), 0, null],
        [at(2), first, 'text_to_voice_design', hashOf(web), 70, null],
      ],
    });
  });

  it('the request log is narrowed, ordered and cut as requested', async () => {
    const { web, batch, first, refunded, last } = await spender();
    const ids = async (body: object) => {
      const response = await stack.request('POST', REQUESTS, { secret: web.secret, body });
      return (response.body as unknown as Table).rows.map(([, id]) => id);
    };
    const { start_time, end_time } = RANGE();
    expect(await ids({ start_time })).toEqual([first, refunded, last]);
    expect(await ids({ end_time })).toEqual([last, refunded, first]);
    expect(await ids({ end_time, sort: 'asc' })).toEqual([first, refunded, last]);
    expect(await ids({ end_time, limit: 1 })).toEqual([last]);
    expect(await ids({ start_time: daysAgo(1).getTime(), end_time })).toEqual([last, refunded]);
    expect(await ids({ end_time, search: 'REMIX' })).toEqual([last]);
    expect(await ids({ end_time, search: first.slice(3, 20) })).toEqual([first]);
    expect(await ids({ end_time, search: '%' })).toEqual([]);
    const filters = [{ column: 'hashed_xi_api_key', operation: 'eq', values: [hashOf(batch)] }];
    expect(await ids({ end_time, filters })).toEqual([last, refunded]);
  });

  it('both are of the own account only', async () => {
    const { batch } = await spender();
    const stranger = await stack.issueKey();
    for (const path of [USAGE, REQUESTS]) {
      expect(await rows(path, stranger)).toEqual([]);
      const filters = [{ column: 'hashed_xi_api_key', operation: 'eq', values: [hashOf(batch)] }];
      expect(await rows(path, stranger, { filters })).toEqual([]);
    }
  });

  it('a range with too many spans begins with the first day of the account', async () => {
    const key = await stack.issueKey();
    await charge(key, 7, 'text_to_voice_design');
    const body = { start_time: 1_577_836_800_000, interval_seconds: 3_600 };
    expect(await rows(USAGE, key, body)).toEqual([[day(0), 7, 1]]);
  });
});

describe('403', () => {
  it.each([USAGE, REQUESTS])('%s needs workspace_analytics_full_read', async (path) => {
    const { secret } = await stack.issueKey({ permissions: ['user_read', 'workspace_read'] });
    const { status, body } = await stack.request('POST', path, { secret, body: RANGE() });
    expect([status, body.detail!.code]).toEqual([403, 'insufficient_permissions']);
  });
});

describe('422', () => {
  const filter = (changes: object) => ({
    filters: [{ column: 'product_type', operation: 'eq', values: ['x'], ...changes }],
  });

  it.each([
    [USAGE, { start_time: 1 }, 'start_time', 'greater than or equal to 1577836800000'],
    [USAGE, { end_time: undefined }, 'end_time', 'Field required'],
    [USAGE, { end_time: 1_577_836_800_000 }, 'end_time', 'at or after start_time'],
    [USAGE, { group_by: ['region'] }, 'group_by', "'hashed_xi_api_key' or 'end_user'"],
    [USAGE, { time_zone: 'Europe/London' }, 'time_zone', "'UTC'"],
    [USAGE, { interval_seconds: 0 }, 'interval_seconds', 'greater than or equal to 1'],
    [USAGE, filter({ column: 'voice_id' }), 'filters', "'hashed_xi_api_key' or 'end_user'"],
    [USAGE, filter({ operation: 'ge' }), 'filters', "'in', 'not_in', 'eq' or 'neq'"],
    [USAGE, filter({ values: [1] }), 'filters', 'valid string'],
    [REQUESTS, { start_time: null, end_time: null }, 'start_time', 'given, or else end_time'],
    [REQUESTS, { start_time: 0 }, 'end_time', 'at most 366 days after start_time'],
    [REQUESTS, { end_time: 0 }, 'end_time', 'at or after start_time'],
    [REQUESTS, { limit: 1_001 }, 'limit', 'less than or equal to 1000'],
    [REQUESTS, { sort: 'newest' }, 'sort', "'asc' or 'desc'"],
    [REQUESTS, filter({ column: 'credits' }), 'filters', "'hashed_xi_api_key' or 'end_user'"],
  ])('%s with %j', async (path, fields, name, text) => {
    const { secret } = await stack.issueKey();
    const { status, body } = await stack.request('POST', path, { secret, body: { ...RANGE(), ...fields } });
    expect(status).toBe(422);
    expect(body.detail![0]!.loc).toEqual(expect.arrayContaining(['body', name]));
    expect(body.detail![0]!.msg).toContain(text);
  });

  it('more spans than 10,000 since the first day of the account', async () => {
    const { secret, accountId } = await stack.issueKey();
    await stack.asOwner('UPDATE account SET created_at = $2 WHERE id = $1', [accountId, daysAgo(2)]);
    const body = { ...RANGE(), start_time: 1_577_836_800_000, interval_seconds: 10 };
    const response = await stack.request('POST', USAGE, { secret, body });
    expect([response.status, response.body.detail![0]!.loc]).toEqual([422, ['body', 'interval_seconds']]);
    expect(response.body.detail![0]!.msg).toContain('at most 10000 spans');
  });
});
