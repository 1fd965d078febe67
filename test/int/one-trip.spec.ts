import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { inOneTrip } from '../../libs/database/common/one-trip';
import { PostgresClient } from '../../libs/database/common/postgres-client';
import { createDataSource } from '../../libs/database/data-source';
import { TcpProxy } from '../support/tcp-proxy';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

/** For each direction. */
const DELAY_MS = 300;

let database: TestDatabase;
let proxy: TcpProxy;
let far: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await TcpProxy.to(database.ownerUrl);
  far = await createDataSource(proxy.url, 'test').initialize();
  await far.query('CREATE TABLE step (number int)');
  proxy.delayMs = () => DELAY_MS;
});

afterAll(async () => {
  await far.destroy();
  await proxy.stop();
  await database.drop();
});

beforeEach(() => far.query('TRUNCATE step'));

const step = (number: number, em: EntityManager) => em.query('INSERT INTO step VALUES ($1)', [number]);
const steps = async () =>
  (await far.query<{ number: number }[]>('SELECT number FROM step')).map(({ number }) => number);

describe('a transaction', () => {
  it('begins in one trip with its first statement', async () => {
    const startedAt = performance.now();
    await far.transaction((em) => step(1, em));
    // With its COMMIT there are two trips.
    expect(performance.now() - startedAt).toBeLessThan(3 * 2 * DELAY_MS);
    expect(await steps()).toEqual([1]);
  });

  it('that cannot begin ends its connection', async () => {
    const client = new PostgresClient({ connectionString: database.ownerUrl, pipeline: true });
    await client.connect();
    client.on('error', () => undefined);
    const ended = new Promise((resolve) => client.once('end', resolve));
    await client.query('BEGIN');
    await expect(client.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
    await client.query('START TRANSACTION');
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow('not queryable');
  });
});

describe('statements in one trip', () => {
  it('do not wait for each other, and run in order', async () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
    const ms = await far.transaction(async (em) => {
      const startedAt = performance.now();
      await inOneTrip(numbers.map((number) => step(number, em)));
      return performance.now() - startedAt;
    });
    expect(ms).toBeLessThan((numbers.length * 2 * DELAY_MS) / 2);
    expect(await steps()).toEqual(numbers);
  });

  it('return what each returns', async () => {
    const results = await far.transaction((em) =>
      inOneTrip([em.query<unknown[]>('SELECT 1 AS one'), em.query<unknown[]>('SELECT 2 AS two')]),
    );
    expect(results).toEqual([[{ one: 1 }], [{ two: 2 }]]);
  });

  it('leave nothing behind when one fails, not even what begins after the failure', async () => {
    const late = async (em: EntityManager) => {
      // Longer than the failure takes to arrive, and shorter than the ROLLBACK after it.
      await sleep(3 * DELAY_MS);
      await step(2, em);
    };
    const failing = far.transaction(async (em) => {
      await inOneTrip([step(1, em), em.query('SELECT 1 / 0'), late(em)]);
    });
    await expect(failing).rejects.toThrow('division by zero');
    await sleep(5 * DELAY_MS);
    expect(await steps()).toEqual([]);
  });
});
