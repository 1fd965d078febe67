import type { DataSource } from 'typeorm';
import { createDataSource } from '../../libs/database/data-source';
import { eventually } from '../support/eventually';
import { TcpProxy } from '../support/tcp-proxy';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

/** Of a data source for scripts and commands. */
const POOL_SIZE = 3;
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
    expect(performance.now() - startedAt).toBeLessThan(4_000);
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

describe('a pool of connections', () => {
  it('lets a query wait for those before it for longer than a server may take to accept a connection', async () => {
    const all = Array.from({ length: POOL_SIZE }, () => near.query('SELECT pg_sleep(2.5)'));
    expect(await near.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await Promise.all(all);
  });

  it('does not wait for a server that accepts nothing', async () => {
    const silent = await TcpProxy.to(database.url);
    silent.isSilent = true;
    const startedAt = performance.now();
    const error = await createDataSource(silent.url, 'test')
      .initialize()
      .catch((cause: unknown) => cause);
    await silent.stop();
    expect(String(error)).toContain('timeout expired');
    expect(performance.now() - startedAt).toBeLessThan(5_500);
  });
});
