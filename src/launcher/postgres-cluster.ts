import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { StdioOptions } from 'node:child_process';
import { join } from 'node:path';
import { LaunchError } from './launch-error';
import type { ServerAccount } from './postgres-account';
import { POSTGRES_ENV, type PostgresBinaries } from './postgres-binaries';
import { runToEnd, type RunOptions } from './run-to-end';
import type { Command } from './supervised-process';
import { clusterFolder, type PostgresSettings } from './postgres-settings';

const PARTIAL = 'postgres.partial-';

/** The major version that wrote a cluster, or null when there is none yet. */
export function clusterVersion(folder: string): string | null {
  const file = join(folder, 'PG_VERSION');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

/**
 * Makes the cluster: UTF-8 with the built-in C.UTF-8 rules (the same order on every machine), page checksums, passwords
 * by SCRAM only. It gets its final name when it is complete, so one that was interrupted is never taken for a cluster.
 */
export async function createCluster(
  binaries: PostgresBinaries,
  settings: PostgresSettings,
  account: ServerAccount,
  signal: AbortSignal,
): Promise<void> {
  removePartials(settings.home);
  // A separate name: an earlier attempt that was killed may still be writing to another.
  const partial = mkdtempSync(join(settings.home, PARTIAL));
  const passwordFile = `${partial}.password`;
  writeFileSync(passwordFile, settings.password, { mode: 0o600, flag: 'wx' });
  try {
    for (const path of [partial, passwordFile]) giveTo(account, path);
    const args = initdbArguments(partial, passwordFile, settings.user);
    await runProgram(binaries.initdb, args, account, { signal });
    renameSync(partial, clusterFolder(settings));
  } finally {
    removePartials(settings.home);
  }
}

function removePartials(home: string): void {
  for (const name of readdirSync(home).filter((entry) => entry.startsWith(PARTIAL))) {
    rmSync(join(home, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

function initdbArguments(folder: string, passwordFile: string, user: string): string[] {
  return [
    `--pgdata=${folder}`,
    `--username=${user}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--no-instructions',
  ];
}

/**
 * Sets new passwords on a stopped cluster whose settings file was lost.
 *
 * @param options.inherited descriptors that the program keeps open
 */
export async function resetPasswords(
  binaries: PostgresBinaries,
  settings: PostgresSettings,
  account: ServerAccount,
  options: Pick<RunOptions, 'signal' | 'onSpawn'> & { inherited: number[] },
): Promise<void> {
  const logins = [settings, ...(settings.application ? [settings.application] : [])];
  // All values are generated here, of letters, digits, - and _. A cluster of an earlier release has one role only.
  const statements = logins.map(
    ({ user, password }) =>
      `DO 'BEGIN IF to_regrole(''${user}'') IS NOT NULL THEN ALTER USER ${user} PASSWORD ''${password}''; END IF; END'\n`,
  );
  const args = ['--single', '-D', clusterFolder(settings), 'postgres'];
  await runProgram(binaries.postgres, args, account, { ...options, input: statements.join('') });
}

function giveTo({ uid, gid }: ServerAccount, path: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

async function runProgram(
  file: string,
  args: string[],
  account: ServerAccount,
  { inherited = [], ...options }: RunOptions & { inherited?: number[] },
): Promise<void> {
  const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', ...inherited];
  const command: Command = { file, args, ...account, cwd: '/', env: POSTGRES_ENV, stdio };
  const { code, output } = await runToEnd(command, options);
  if (code === 0) return;
  const complaint = output.split('\n').find((line) => /error|fatal|panic/i.test(line));
  throw new LaunchError(
    `PostgreSQL's files cannot be created: ${complaint || output.trim() || `exit code ${code}`}`,
  );
}
