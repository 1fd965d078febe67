import type { DataSource } from 'typeorm';
import { createDataSource } from '../../libs/database/data-source';
import { eventually } from '../support/eventually';
import { TcpProxy } from '../support/tcp-proxy';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

/** More than a pool has. */
const QUERIES = 6;

let database: TestDatabase;
let proxy: TcpProxy;
let near: DataSource;
let far: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await TcpProxy.to(database.url);
  near = await createDataSource(database.url, 'test').initialize();
  far = await createDataSource(proxy.url, 'test').initialize();
});

afterAll(async () => {
  await far.destroy();
  await near.destroy();
  await proxy.stop();
  await database.drop();
});

describe('a connection to PostgreSQL that is half-open', () => {
  it('fails those who use it once, and is not used again', async () => {
    await Promise.all(Array.from({ length: QUERIES }, () => far.query('SELECT pg_sleep(0.05)')));
    proxy.forget();
    const ask = async () => {
      await far.query('SELECT 1');
      return 'answered';
    };
    const first = await Promise.allSettled(Array.from({ length: QUERIES }, ask));
    expect(first.some(({ status }) => status === 'rejected')).toBe(true);
    const startedAt = performance.now();
    expect(await Promise.all(Array.from({ length: QUERIES }, ask))).toEqual(Array(QUERIES).fill('answered'));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('does not keep the locks of the transaction that was running on it', async () => {
    const runner = far.createQueryRunner();
    await runner.startTransaction();
    await runner.query('LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE');
    proxy.forget();
    await eventually(() => near.query('SELECT FROM outbox'), { withinMs: 25_000, everyMs: 500 });
    await runner.release();
  });
});
