import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { DatabaseServerRepository } from '../../libs/database/common/database-server.repository';
import { PostgresClient } from '../../libs/database/common/postgres-client';
import { createDataSource } from '../../libs/database/data-source';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { testServerUrls } from '../support/test-server';

let database: TestDatabase;
let dataSource: DataSource;
let server: DatabaseServerRepository;

beforeEach(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  server = new DatabaseServerRepository(dataSource);
});

afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** Changes the database of the test for connections that begin later. */
async function alter(change: string): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  await queryAs(testServerUrls('postgres').owner, `ALTER DATABASE ${name} ${change}`);
}

it('a database that takes writes and connections can be used', async () => {
  await expect(server.requireWritable()).resolves.toBeUndefined();
});

it('a database that takes no writes cannot', async () => {
  await alter('SET default_transaction_read_only = on');
  await expect(server.requireWritable()).rejects.toThrow(/read-only transaction/);
});

it('a database that serves the connections it has, and accepts no other, cannot', async () => {
  await dataSource.query('SELECT 1');
  await alter('ALLOW_CONNECTIONS false');
  await expect(server.requireWritable()).rejects.toThrow(/not currently accepting connections/);
  await alter('ALLOW_CONNECTIONS true');
  await expect(server.requireWritable()).resolves.toBeUndefined();
});

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
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    const freeAtMs = performance.now() + 2_200;
    while (performance.now() < freeAtMs);
    await connecting;
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
  });
});

it('a connection that is cut while its session is set fails, and the process goes on', async () => {
  const client = new PostgresClient({ connectionString: database.url });
  client.once('connect', () => client.connection.stream.destroy());
  await expect(client.connect()).rejects.toThrow('Connection terminated unexpectedly');
  await nextTurn();
});
