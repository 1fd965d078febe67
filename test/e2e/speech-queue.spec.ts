import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { creditsUsed } from '../support/previews';
import { designBody, TEXT } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';

const PATH = '/v1/text-to-voice/design';
const ZEROS = '0'.repeat(1_000);
const DESIGNS = 60;

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

/** What the console and the customer see of the key's account. */
const balanceOf = async ({ secret }: IssuedKey) =>
  (await stack.request('GET', '/v1/user/subscription', { secret })).body.character_count;

const linesOf = ({ accountId }: IssuedKey) =>
  stack.dataSource.query<{ kind: string; amount: number; actor: string | null }[]>(
    'SELECT kind, amount::int, actor FROM credit_ledger WHERE account_id = $1 ORDER BY id',
    [accountId],
  );

/** How many designs of the key's account were made, and have their previews. */
const designsOf = async ({ accountId }: IssuedKey) => {
  const [row] = await stack.dataSource.query<{ count: number }[]>(
    `SELECT count(DISTINCT request_id)::int AS count FROM preview WHERE account_id = $1 AND audio_digest IS NOT NULL`,
    [accountId],
  );
  return row!.count;
};

const post = async (baseUrl: string, { secret }: IssuedKey, changes: object, signal?: AbortSignal) =>
  fetch(`${baseUrl}${PATH}`, {
    method: 'POST',
    headers: { 'xi-api-key': secret, 'content-type': 'application/json' },
    body: JSON.stringify(designBody({ ...changes })),
    signal,
  });

it('an account with 60 designs of 1,000 zeros gets some of them refused, and another one its next turn', async () => {
  const heavy = await stack.issueKey({ tier: 'enterprise', concurrency: DESIGNS });
  const other = await stack.issueKey();
  const stop = new AbortController();
  const spoken: number[] = [];
  const refused: Response[] = [];
  const settled = Array.from({ length: DESIGNS }, async (_, seed) => {
    const response = await post(stack.baseUrl, heavy, { text: ZEROS, seed }, stop.signal).catch(() => null);
    if (response?.status === 200) spoken.push(seed);
    else if (response) refused.push(response);
  });
  // A request with neither refusal nor response has its place in the queue.
  await eventually(() => expect(refused.length).toBeGreaterThan(DESIGNS / 2));
  const before = spoken.length;
  expect((await post(stack.baseUrl, other, { text: TEXT })).status).toBe(200);
  expect(spoken.length - before).toBeLessThanOrEqual(2);
  // On a busy machine, the store of the limits may be late for one of them.
  const isLate = async (response: Response) =>
    response.status === 429 && (await response.clone().text()).includes('"system_busy"');
  const late = await Promise.all(refused.map(isLate));
  const refusedByQueue = refused.filter((_, index) => !late[index]);
  expect(refusedByQueue.length).toBeGreaterThan(DESIGNS / 3);
  for (const response of refusedByQueue) {
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(30);
  }
  stop.abort();
  await Promise.all(settled);
  // A design may be made just as its client goes away: what is paid for is what was made, and all else comes back.
  await eventually(async () => {
    const created = await designsOf(heavy);
    expect(created).toBeGreaterThanOrEqual(spoken.length);
    expect(await creditsUsed(stack, heavy.keyId)).toBe(ZEROS.length * created);
  });
  expect((await post(stack.baseUrl, other, { text: TEXT })).status).toBe(200);
});

it('a client that goes away frees its slot, and has its credits back', async () => {
  const key = await stack.issueKey({ concurrency: 1 });
  const stop = new AbortController();
  const lost = post(stack.baseUrl, key, { text: ZEROS }, stop.signal).catch(() => 'lost');
  await eventually(async () => expect(await creditsUsed(stack, key.keyId)).toBe(ZEROS.length), {
    everyMs: 5,
  });
  stop.abort();
  expect(await lost).toBe('lost');
  await eventually(async () => expect(await creditsUsed(stack, key.keyId)).toBe(0));
  expect((await linesOf(key)).map(({ kind }) => kind)).toEqual(['hold', 'release']);
  await eventually(async () => expect((await post(stack.baseUrl, key, {})).status).toBe(200));
});

it('a design costs its characters, once, and counts as one request', async () => {
  const key = await stack.issueKey();
  expect((await post(stack.baseUrl, key, {})).status).toBe(200);
  expect(await linesOf(key)).toMatchObject([
    { kind: 'hold', amount: TEXT.length },
    { kind: 'release', amount: -TEXT.length },
    { kind: 'charge', amount: TEXT.length },
  ]);
  expect(await balanceOf(key)).toBe(TEXT.length);
  const range = `start_unix=${Date.now() - 3_600_000}&end_unix=${Date.now() + 3_600_000}`;
  const statsOf = async (query: string) =>
    (await stack.request('GET', `/v1/usage/character-stats?${range}${query}`, { secret: key.secret })).body
      .usage;
  const sum = ({ All }: { All: number[] }) => All.reduce((a, b) => a + b);
  expect(sum((await statsOf('')) as { All: number[] })).toBe(TEXT.length);
  expect(sum((await statsOf('&metric=request_count')) as { All: number[] })).toBe(1);
});

it.each([
  ['answered', {}],
  ['streamed', { stream_previews: true }],
])('the credits of an %s design whose process is killed come back at the deadline', async (_, changes) => {
  const key = await stack.issueKey({ creditLimit: ZEROS.length });
  const victim = await ApiProcess.start(stack.config);
  const lost = post(victim.url, key, { text: ZEROS, ...changes }).catch(() => 'lost');
  await eventually(async () => expect(await creditsUsed(stack, key.keyId)).toBe(ZEROS.length), {
    everyMs: 5,
  });
  await victim.stop('SIGKILL');
  await lost;
  expect(await balanceOf(key)).toBe(ZEROS.length);
  await stack.dataSource.query('UPDATE credit_hold SET deadline = now() WHERE account_id = $1', [
    key.accountId,
  ]);
  expect(await balanceOf(key)).toBe(0);
  // The slot of the killed process is still taken, up to its lease: the account has others.
  expect((await post(stack.baseUrl, key, {})).status).toBe(200);
  expect((await linesOf(key)).find(({ kind }) => kind === 'release')).toMatchObject({ actor: 'deadline' });
});
