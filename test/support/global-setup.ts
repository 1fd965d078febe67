import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrateDatabase } from '../../libs/database/migrate';
import { prepareDataDir } from '../../src/launcher/data-dir';
import { DataDirLock } from '../../src/launcher/data-dir-lock';
import { EmbeddedPostgres } from '../../src/launcher/embedded-postgres';
import { ProcessGuard } from '../../src/launcher/process-guard';
import { keepServer, rememberTestServer, TEMPLATE_DATABASE, testServerUrl } from './test-server';

/** Starts the suite's own PostgreSQL and prepares the template that every spec file clones. */
export default async function globalSetup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-test-'));
  // As root the server runs as another user, who must be able to enter.
  chmodSync(folder, 0o755);
  const dataDir = prepareDataDir(folder);
  const guard = new ProcessGuard(DataDirLock.acquire(dataDir));
  const server = new EmbeddedPostgres(dataDir, {
    onNote: (note) => console.warn(note),
    onPid: (pid) => guard.watch('postgres', pid),
  });
  keepServer({ server, guard, dataDir });
  rememberTestServer(await server.start());
  const client = new Client({ connectionString: testServerUrl('postgres') });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await client.end();
  await migrateDatabase(testServerUrl(TEMPLATE_DATABASE));
}
