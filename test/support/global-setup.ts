import { migrateDatabase } from '../../libs/database/migrate';
import { OwnPostgres } from './own-postgres';
import { queryAs } from './query-as';
import { keepServer, rememberTestServer, TEMPLATE_DATABASE, testServerUrls } from './test-server';

/** Starts the suite's own PostgreSQL and prepares the template that every spec file clones. */
export default async function globalSetup(): Promise<void> {
  const server = await OwnPostgres.start((note) => console.warn(note));
  keepServer(server);
  await leaveFilesToSystem(server);
  rememberTestServer({ application: server.url, owner: server.ownerUrl });
  await queryAs(server.ownerUrl, `CREATE DATABASE ${TEMPLATE_DATABASE}`);
  const { application, owner } = testServerUrls(TEMPLATE_DATABASE);
  await migrateDatabase(owner, application);
}

/**
 * Has a commit no longer wait for the disk, which a build machine shares with others: a slow one has kept a suite waiting until its
 * queries ran out of time. What this server holds does not outlive the run, and nothing crashes it: who tests a crash starts its own.
 */
async function leaveFilesToSystem(server: OwnPostgres): Promise<void> {
  for (const setting of ['fsync', 'full_page_writes'])
    await server.query(`ALTER SYSTEM SET ${setting} = off`);
  await server.query('SELECT pg_reload_conf()');
}
