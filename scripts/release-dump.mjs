// Writes a dump of a database that a release has used, for `test/e2e/upgrades.spec.ts`.
//
//   node scripts/release-dump.mjs TREE DATABASE_URL test/releases/VERSION.sql.gz
//
// TREE is a checkout of the release, built. The database is empty, of a PostgreSQL whose pg_dump is on the PATH: that of the earliest
// version that is supported, because a later one reads it as well.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const [tree, url, file] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: node scripts/release-dump.mjs TREE DATABASE_URL FILE');

function run(command, args, env = {}) {
  const options = { env: { ...process.env, ...env }, maxBuffer: 1e9, encoding: 'utf8' };
  const { status, stdout, stderr } = spawnSync(command, args, options);
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
}

// All voices have the shortest recording: the others are most of the bytes.
const SHRINK = `
UPDATE voice_sample SET audio_digest = (SELECT digest FROM audio_object ORDER BY size_bytes LIMIT 1);
UPDATE preview SET audio_digest = (SELECT digest FROM audio_object ORDER BY size_bytes LIMIT 1) WHERE audio_digest IS NOT NULL;
DELETE FROM audio_object WHERE digest NOT IN (SELECT audio_digest FROM voice_sample)`;

const folder = mkdtempSync(join(tmpdir(), 'greenroom-release-'));
try {
  run('node', [join(resolve(tree), 'dist/src/main.js'), 'seed', '--demo'], {
    DATABASE_URL: url,
    DATA_DIR: folder,
    APP_SECRET: 'a-secret-that-only-the-tests-of-greenroom-use',
  });
  const { api_key: secret } = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8'));
  run('psql', ['-X', '-v', 'ON_ERROR_STOP=1', '-c', SHRINK, url]);
  const dump = run('pg_dump', ['--no-owner', '--no-privileges', '--rows-per-insert=50', url]);
  // psql alone reads lines that begin with a backslash.
  const sql = dump.replaceAll(/^\\.*\n|^--.*\n/gm, '').replaceAll(/\n{2,}/g, '\n');
  writeFileSync(file, gzipSync(`-- ${secret}\n${sql}`, { level: 9 }));
} finally {
  rmSync(folder, { recursive: true });
}
