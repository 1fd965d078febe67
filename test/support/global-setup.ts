import { migrateDatabase } from '../../libs/database/migrate';
import { OwnPostgres } from './own-postgres';
import { queryAs } from './query-as';
import { keepServer, rememberTestServer, TEMPLATE_DATABASE, testServerUrls } from './test-server';

/** Starts the suite's own PostgreSQL and prepares the template that every spec file clones. */
export default async function globalSetup(): Promise<void> {
  const server = await OwnPostgres.start((note) => console.warn(note));
  keepServer(server);
  await turnOffFsync(server);
  rememberTestServer({ application: server.url, owner: server.ownerUrl });
  await queryAs(server.ownerUrl, `CREATE DATABASE ${TEMPLATE_DATABASE}`);
  const { application, owner } = testServerUrls(TEMPLATE_DATABASE);
  await migrateDatabase(owner, application);
}

/**
 * Commits do not wait for the disk: a slow one, shared with others, would have queries of the suites run out of time. The data does
 * not outlive the run, and nothing crashes this server; a test of a crash starts its own.
 */
async function turnOffFsync(server: OwnPostgres): Promise<void> {
  for (const setting of ['fsync', 'full_page_writes'])
    await server.query(`ALTER SYSTEM SET ${setting} = off`);
  await server.query('SELECT pg_reload_conf()');
}
