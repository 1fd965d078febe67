import type { DataSource } from 'typeorm';
import { DatabaseServerRepository } from '../../libs/database/common/database-server.repository';
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

it('connections that are not in use stay, whatever the server ends by default', async () => {
  await alter(`SET idle_session_timeout = '4s'`);
  const later = await createDataSource(database.url, 'test').initialize();
  const settings = await later.query<object[]>('SHOW idle_session_timeout');
  await later.destroy();
  expect(settings).toEqual([{ idle_session_timeout: '0' }]);
});
