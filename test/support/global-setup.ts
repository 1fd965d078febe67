import { migrateDatabase } from '../../libs/database/migrate';
import { OwnPostgres } from './own-postgres';
import { queryAs } from './query-as';
import { keepServer, rememberTestServer, TEMPLATE_DATABASE, testServerUrls } from './test-server';

/** Starts the suite's own PostgreSQL and prepares the template that every spec file clones. */
export default async function globalSetup(): Promise<void> {
  const server = await OwnPostgres.start((note) => console.warn(note));
  keepServer(server);
  rememberTestServer({ application: server.url, owner: server.ownerUrl });
  await queryAs(server.ownerUrl, `CREATE DATABASE ${TEMPLATE_DATABASE}`);
  const { application, owner } = testServerUrls(TEMPLATE_DATABASE);
  await migrateDatabase(owner, application);
}
