import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrateDatabase } from '../../libs/database/migrate';
import { prepareDataDir } from '../../src/launcher/data-dir';
import { EmbeddedPostgres } from '../../src/launcher/embedded-postgres';
import { keepServer, rememberTestServer, TEMPLATE_DATABASE, testServerUrl } from './test-server';

/** Starts the suite's own PostgreSQL and prepares the template that every spec file clones. */
export default async function globalSetup(): Promise<void> {
  const dataDir = prepareDataDir(mkdtempSync(join(tmpdir(), 'greenroom-test-')));
  const server = new EmbeddedPostgres(dataDir, { onNote: console.warn, onPid: () => undefined });
  keepServer(server, dataDir);
  rememberTestServer(await server.start());
  const client = new Client({ connectionString: testServerUrl('postgres') });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await client.end();
  await migrateDatabase(testServerUrl(TEMPLATE_DATABASE));
}
