import { Client } from 'pg';
import { migrateDatabase } from '../../libs/database/migrate';
import { OwnPostgres } from './own-postgres';
import { keepServer, rememberTestServer, TEMPLATE_DATABASE, testServerUrl } from './test-server';

/** Starts the suite's own PostgreSQL and prepares the template that every spec file clones. */
export default async function globalSetup(): Promise<void> {
  const server = await OwnPostgres.start((note) => console.warn(note));
  keepServer(server);
  rememberTestServer(server.url);
  const client = new Client({ connectionString: testServerUrl('postgres') });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await client.end();
  await migrateDatabase(testServerUrl(TEMPLATE_DATABASE));
}
