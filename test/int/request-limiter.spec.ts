import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../libs/database/data-source';
import type { RequestAsk, RequestGrant } from '../../libs/limits/limit-store';
import { PostgresLimitStore } from '../../libs/limits/postgres-limit-store';
import { RequestLimiter } from '../../libs/limits/request-limiter';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

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
  const store = new SlowStore(dataSource);
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
  expect(verdicts.map((verdict) => verdict?.passed)).toEqual([true, true, false, false]);
});
