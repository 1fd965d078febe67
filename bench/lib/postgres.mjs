import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** A PostgreSQL of our own, empty; `url(name)` is a database on it for its owner, `applicationUrl(name)` for the api. */
export async function startPostgres() {
  const { EmbeddedPostgres } = require('../../dist/src/launcher/embedded-postgres.js');
  const { DataDirLock } = require('../../dist/src/launcher/data-dir-lock.js');
  const { prepareDataDir } = require('../../dist/src/launcher/data-dir.js');
  const { Client } = require('pg');
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-bench-'));
  chmodSync(folder, 0o755);
  let pid = 0;
  const dataDir = prepareDataDir(folder);
  const onNote = () => undefined;
  const lock = await DataDirLock.acquire(dataDir, onNote);
  const server = new EmbeddedPostgres(dataDir, lock, {
    onNote,
    onPid: (value) => (pid = value ?? pid),
  });
  const { owner, application } = await server.start();
  const on = (role) => (name) => Object.assign(new URL(role), { pathname: `/${name}` }).href;
  const url = on(owner);
  return {
    get pid() {
      return pid;
    },
    url,
    applicationUrl: on(application),
    async createDatabase(name, template) {
      const client = new Client({ connectionString: url('postgres') });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}${template ? ` TEMPLATE ${template}` : ''}`);
      await client.end();
      return url(name);
    },
    async stop() {
      await server.stop();
      lock.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
