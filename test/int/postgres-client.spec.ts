import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PostgresClient } from '../../libs/database/common/postgres-client';
import { PostgresPool } from '../../libs/database/common/postgres-pool';
import { databaseOfFile } from '../support/test-database';

const database = databaseOfFile();

/** Has the process do nothing else, from when what it waits for is on its way. */
async function beBusy(ms: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  const freeAtMs = performance.now() + ms;
  while (performance.now() < freeAtMs);
}

describe('a process that is busy for longer than a server may take to accept a connection', () => {
  const twoPlaces = (url: string) => {
    const { host } = new URL(url);
    return `${url}?hosts=${host},${host}`;
  };

  it.each([
    ['to a server', (url: string) => url],
    ['to the primary of two servers', twoPlaces],
  ])('connects %s', async (_, toUrl) => {
    const client = new PostgresClient({ connectionString: toUrl(database.url) });
    const connecting = client.connect();
    await beBusy(2_200);
    await connecting;
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
  });
});

describe('a query of a process that is busy for longer than a response may take', () => {
  const query_timeout = 500;
  const slow = 'SELECT pg_sleep(0.2), 1 AS one';
  const reads = async (read: (client: PostgresClient) => Promise<{ rows: unknown[] }>) => {
    const client = new PostgresClient({ connectionString: database.url, query_timeout });
    await client.connect();
    const reading = read(client);
    await beBusy(query_timeout + 200);
    expect((await reading).rows).toMatchObject([{ one: 1 }]);
    await client.end();
  };

  it('gets its response', () => reads((client) => client.query(slow)));

  it('gets its response in a callback', () =>
    reads(
      (client) =>
        new Promise((resolve, reject) => {
          client.query(slow, (error, result) => (error ? reject(error) : resolve(result)));
        }),
    ));
});

it('a query without a response fails in time, and so do those behind it', async () => {
  const client = new PostgresClient({ connectionString: database.url, query_timeout: 200 });
  await client.connect();
  const queries = [client.query('SELECT pg_sleep(5)'), client.query('SELECT 1')];
  const results = await Promise.allSettled(queries);
  const late = { status: 'rejected', reason: expect.objectContaining({ message: 'Query read timeout' }) };
  expect(results).toEqual([late, late]);
});

it('a connection that is cut while its session is set fails without ending the process', async () => {
  const client = new PostgresClient({ connectionString: database.url });
  client.once('connect', () => client.connection.stream.destroy());
  await expect(client.connect()).rejects.toThrow('Connection terminated unexpectedly');
  await nextTurn();
});

describe('a pool', () => {
  const waitMs = 300;
  let pool: PostgresPool;

  beforeEach(() => {
    pool = new PostgresPool({
      connectionString: database.url,
      max: 1,
      connectionTimeoutMillis: waitMs,
      query_timeout: 2_000,
    });
  });

  afterEach(async () => pool.end());

  const takeAndRelease = async () => (await pool.connect()).release();

  it('connects for a process that is busy for longer than a caller waits', async () => {
    const taking = takeAndRelease();
    await beBusy(waitMs + 200);
    await taking;
  });

  it('gives a busy process the connection that was released meanwhile', async () => {
    const client = await pool.connect();
    const waiting = takeAndRelease();
    const used = client.query('SELECT 1').then(() => client.release());
    await beBusy(waitMs + 200);
    await Promise.all([waiting, used]);
  });

  it('refuses who has waited for as long, and has the connection for the next', async () => {
    const client = await pool.connect();
    await expect(pool.connect()).rejects.toThrow('timeout exceeded when trying to connect');
    await expect(pool.query('SELECT 1')).rejects.toThrow('timeout exceeded when trying to connect');
    client.release();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(pool.totalCount).toBe(1);
  });

  it('says of a server that does not accept connections in time that it did not', async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const nowhere = new PostgresPool({ host: '127.0.0.1', port, connectionTimeoutMillis: waitMs });
    await expect(nowhere.connect()).rejects.toThrow('Connection terminated due to connection timeout');
    silent.close();
    await nowhere.end();
  });
});
