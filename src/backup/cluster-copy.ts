import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresClient } from '../../libs/database/common/postgres-client';

/** What a server creates again at its start, or must not find there (PostgreSQL's manual, "Making a Base Backup"). */
const LEFT_OUT_FILES = /^(postmaster\.(pid|opts)|pg_internal\.init.*|backup_label.*|tablespace_map.*)$/;
const EMPTIED_FOLDERS = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
  'pgsql_tmp',
]);

/**
 * Copies the files of a running server so that a server started on the copy has everything that was committed before the
 * copy ended. No other connection waits meanwhile.
 *
 * @param databaseUrl a superuser's URL
 * @param from the cluster's folder
 * @param to a folder that does not exist
 */
export async function copyRunningCluster(databaseUrl: string, from: string, to: string): Promise<void> {
  const client = new PostgresClient({ connectionString: databaseUrl });
  await client.connect();
  try {
    // The slot keeps the server from recycling the log that the copy needs; it goes with the connection.
    await client.query(`SELECT pg_create_physical_replication_slot($1, true, true)`, [
      `backup_${process.pid}`,
    ]);
    await client.query(`SELECT pg_backup_start('greenroom backup', fast => true)`);
    copyFolder(from, to);
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    writeFileSync(join(to, 'backup_label'), rows[0]!.labelfile, { mode: 0o600 });
    copyWal(join(from, 'pg_wal'), join(to, 'pg_wal'));
  } finally {
    await client.end();
  }
}

function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && EMPTIED_FOLDERS.has(entry.name)) mkdirSync(target, { mode: 0o700 });
    else if (entry.isDirectory()) copyFolder(source, target);
    else if (entry.isFile() && !LEFT_OUT_FILES.test(entry.name)) copyIfThere(source, target);
  }
}

/** The write-ahead log repairs what was torn while it was copied. */
function copyWal(from: string, to: string): void {
  mkdirSync(join(to, 'archive_status'), { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from).filter((entry) => /^[0-9A-F]{24}$|\.history$/.test(entry))) {
    copyIfThere(join(from, name), join(to, name));
  }
}

/** A table may be dropped while it is copied; the log knows. */
function copyIfThere(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
