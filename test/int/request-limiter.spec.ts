import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '../../libs/config/app-config';
import { createDataSource } from '../../libs/database/data-source';
import type { RequestAsk, RequestGrant } from '../../libs/limits/limit-store';
import { openLimitStore } from '../../libs/limits/limit-store.provider';
import { PostgresLimitStore } from '../../libs/limits/postgres-limit-store';
import { RequestLimiter } from '../../libs/limits/request-limiter';
import { TcpProxy } from '../support/tcp-proxy';
import { databaseOfFile } from '../support/test-database';

const database = databaseOfFile();

/** The store of a database that responds slowly, with windows that end soon. */
class SlowStore extends PostgresLimitStore {
  readonly batches: string[][] = [];

  override async takeRequests(asks: RequestAsk[]): Promise<RequestGrant[]> {
    this.batches.push(asks.map(({ keyId }) => keyId));
    await pause(300);
    return super.takeRequests(asks, 200);
  }
}

it('a key whose minute ends while it waits for the store is asked for once, and stays within its limit', async () => {
  const store = new SlowStore(database.dataSource);
  const limiter = new RequestLimiter(store);
  const [busy, other] = [randomUUID(), randomUUID()];
  const take = async (keyId: string) => limiter.take({ keyId, requestsPerMinute: 2 });
  await take(busy);
  // The store is busy with another key; the minute of this one ends meanwhile.
  const waiting = [take(other)];
  await pause(20);
  waiting.push(take(busy), take(busy));
  await pause(200);
  waiting.push(take(busy), take(busy));
  const [, ...verdicts] = await Promise.all(waiting);
  for (const batch of store.batches) expect(batch).toEqual([...new Set(batch)]);
  expect(verdicts.map((verdict) => verdict !== 'late' && verdict.passed)).toEqual([true, true, false, false]);
});

/** The store of a database whose first response, or next one, is late. */
class LateStore extends PostgresLimitStore {
  delayMs = 3_000;

  override async takeRequests(asks: RequestAsk[], windowMs: number): Promise<RequestGrant[]> {
    const { delayMs } = this;
    this.delayMs = 0;
    const grants = await super.takeRequests(asks, windowMs);
    await pause(delayMs);
    return grants;
  }
}

it('requests that were refused because the store was late are left to the key', async () => {
  const limiter = new RequestLimiter(new LateStore(database.dataSource));
  const key = { keyId: randomUUID(), requestsPerMinute: 3 };
  const take = async () => limiter.take(key);
  expect(await Promise.all([take(), take()])).toEqual(['late', 'late']);
  await pause(3_000);
  const verdicts = [await take(), await take(), await take(), await take()];
  expect(verdicts.map((verdict) => verdict !== 'late' && verdict.passed)).toEqual([true, true, true, false]);
});

it('while the store is late, a key makes as many more requests as it was last granted, and they are counted', async () => {
  const store = new LateStore(database.dataSource);
  store.delayMs = 0;
  const limiter = new RequestLimiter(store);
  const key = { keyId: randomUUID(), requestsPerMinute: 8 };
  const take = async (count: number) => {
    const verdicts = await Promise.all(Array.from({ length: count }, async () => limiter.take(key)));
    return verdicts.map((verdict) => (verdict === 'late' ? verdict : verdict.passed));
  };
  expect(await take(2)).toEqual([true, true]);
  store.delayMs = 3_000;
  expect(await take(4)).toEqual([true, true, 'late', 'late']);
  store.delayMs = 3_000;
  expect(await take(1)).toEqual(['late']);
  // What was asked for late is granted by now, and pays for those that passed.
  await pause(3_000);
  expect(await take(8)).toEqual([true, true, true, true, false, false, false, false]);
  const [{ used }] = await database.dataSource.query<[{ used: number }]>(
    'SELECT used FROM rate_window WHERE key_id = $1',
    [key.keyId],
  );
  expect(used).toBe(8);
});

it('requests that were granted too late, for a window that has ended, change nothing in the next one', async () => {
  const limiter = new RequestLimiter(new LateStore(database.dataSource));
  const key = { keyId: randomUUID(), requestsPerMinute: 100, windowMs: 2_500 };
  const take = async () => limiter.take(key);
  expect(await take()).toBe('late');
  await pause(2_100);
  expect(await take()).toMatchObject({ passed: true });
  await pause(600);
  const verdicts = await Promise.all(Array.from({ length: 100 }, take));
  expect(verdicts.filter((verdict) => verdict !== 'late' && verdict.passed)).toHaveLength(99);
});

it('each key has its own answer, also when the window of one is deleted at that moment', async () => {
  const [first, old, last] = [randomUUID(), randomUUID(), randomUUID()].sort() as [string, string, string];
  await database.dataSource.query(
    `INSERT INTO rate_window (key_id, ends_at, used) VALUES ($1, now() - interval '2 days', 9)`,
    [old],
  );
  // After the row was found, and before it is locked: where the expiry of windows can come in between.
  const owner = await createDataSource(database.ownerUrl, 'test').initialize();
  await owner.query(`
    CREATE FUNCTION expire_between() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN DELETE FROM rate_window WHERE ends_at < now() - interval '1 day' AND ends_at > '-infinity'; RETURN NULL; END $$;
    CREATE TRIGGER expire_between AFTER INSERT ON rate_window FOR EACH STATEMENT EXECUTE FUNCTION expire_between()`);
  try {
    const asks = [first, old, last].map((keyId, at) => ({ keyId, limit: 10, requested: at + 1 }));
    const grants = await new PostgresLimitStore(database.dataSource).takeRequests(asks, 60_000);
    expect(grants.map(({ granted }) => granted)).toEqual([1, 2, 3]);
    const used = await database.dataSource.query<{ used: number }[]>(
      'SELECT used FROM rate_window WHERE key_id = ANY ($1) ORDER BY key_id',
      [[first, old, last]],
    );
    expect(used.map((row) => row.used)).toEqual([1, 2, 3]);
  } finally {
    await owner.query('DROP TRIGGER expire_between ON rate_window; DROP FUNCTION expire_between');
    await owner.destroy();
  }
});

it('a process that starts waits for its connection for more than a second', async () => {
  const network = await TcpProxy.to(database.url);
  // Each way, and connecting takes four round trips.
  network.delayMs = () => 150;
  const store = await openLimitStore(loadConfig({ DATABASE_URL: network.url, APP_SECRET: 'x'.repeat(32) }));
  try {
    const [grant] = await store.takeRequests([{ keyId: randomUUID(), limit: 10, requested: 1 }], 60_000);
    expect(grant).toMatchObject({ granted: 1 });
  } finally {
    await store.close!();
    await network.stop();
  }
});

/** A store that fails in one way. */
class FailingStore extends PostgresLimitStore {
  constructor(private readonly failure: Error) {
    super(database.dataSource);
  }

  override async takeRequests(): Promise<RequestGrant[]> {
    throw this.failure;
  }
}

it('while the store is down, a process lets no key make more requests than its limit', async () => {
  const failure = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const limiter = new RequestLimiter(new FailingStore(failure));
  const key = { keyId: randomUUID(), requestsPerMinute: 3 };
  const verdicts = await Promise.all(Array.from({ length: 10 }, async () => limiter.take(key)));
  verdicts.push(await limiter.take(key));
  expect(verdicts.filter((verdict) => verdict !== 'late' && verdict.passed)).toHaveLength(3);
  expect([limiter.calls.unchecked, limiter.calls.late]).toEqual([3, 0]);
});

it('a request is refused when the pool of its own process is full', async () => {
  const limiter = new RequestLimiter(new FailingStore(new Error('timeout exceeded when trying to connect')));
  const key = { keyId: randomUUID(), requestsPerMinute: 3 };
  const verdicts = await Promise.all(Array.from({ length: 10 }, async () => limiter.take(key)));
  expect(verdicts).toEqual(Array(10).fill('late'));
  expect([limiter.calls.unchecked, limiter.calls.late]).toEqual([0, 10]);
});
