import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../libs/database/data-source';
import { queryAs } from './query-as';
import { TEMPLATE_DATABASE, testServerUrls } from './test-server';

export interface TestDatabase {
  /** As the application's role. */
  url: string;
  /** As the role that owns everything, for what a test inspects or breaks. */
  ownerUrl: string;
  drop(): Promise<void>;
}

/** A database that all tests of a file share, and a connection to it as the application. */
export function databaseOfFile(): Omit<TestDatabase, 'drop'> & { readonly dataSource: DataSource } {
  const shared = {} as TestDatabase & { dataSource: DataSource };
  beforeAll(async () => {
    Object.assign(shared, await createTestDatabase());
    shared.dataSource = await createDataSource(shared.url, 'test').initialize();
  });
  afterAll(async () => {
    await shared.dataSource.destroy();
    await shared.drop();
  });
  return shared;
}

/**
 * A database of one's own with the newest schema: a clone of the migrated template, 0.1 s.
 *
 * @param template another one, to which nothing is connected
 */
export async function createTestDatabase(template?: TestDatabase): Promise<TestDatabase> {
  return cloneDatabase(template ? new URL(template.url).pathname.slice(1) : TEMPLATE_DATABASE);
}

/** A database without a schema, for what brings one. */
export const createEmptyDatabase = (): Promise<TestDatabase> => cloneDatabase('template0');

async function cloneDatabase(original: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const server = testServerUrls('postgres').owner;
  await queryAs(server, `CREATE DATABASE ${name} TEMPLATE ${original}`);
  // The only grant that a clone does not have from its template.
  await queryAs(server, `REVOKE TEMPORARY ON DATABASE ${name} FROM PUBLIC`);
  const { application: url, owner: ownerUrl } = testServerUrls(name);
  const drop = () => queryAs(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  return { url, ownerUrl, drop: async () => void (await drop()) };
}
