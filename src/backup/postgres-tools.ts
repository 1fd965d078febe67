import { childEnvironment } from '@app/config/app-config';
import { listPrograms } from '@app/config/find-program';
import { PostgresClient } from '@app/database/common/postgres-client';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { LaunchError } from '../launcher/launch-error';

const run = promisify(execFile);

/** Where packages of PostgreSQL put the programs of each version. */
const FOLDERS = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/opt/homebrew/opt/postgresql@*/bin'];
const OUTPUT_BYTES = 10_000_000;
/** Of the file that a program writes; what the server says of its own disk is in a line with ERROR. */
const OWN_DISK_FULL = /error: could not .+: No space left on device$/;

/** pg_dump of one version, and the program that restores what it writes. */
export interface PostgresTools {
  dump: string;
  restore: string;
  /** Major version. */
  version: number;
}

/**
 * The pg_dump that is nearest to a server's version, and not older: an older one refuses the server.
 *
 * @throws LaunchError that names what to install
 */
export async function findTools(serverVersion: number): Promise<PostgresTools> {
  const found = await Promise.all(
    listPrograms('pg_dump', FOLDERS).map(async (path) => ({ path, version: await versionOf(path) })),
  );
  const known = found.filter(({ version }) => version > 0);
  const [chosen] = known
    .filter(({ version }) => version >= serverVersion)
    .sort((one, other) => one.version - other.version);
  if (chosen)
    return { dump: chosen.path, restore: join(dirname(chosen.path), 'pg_restore'), version: chosen.version };
  const others = known.map(({ path, version }) => `${path} is of ${version}`).join(', ');
  throw new LaunchError(
    `No pg_dump of PostgreSQL ${serverVersion} or newer is on this machine${others ? ` (${others})` : ''}, and a backup of that server needs one. Install it where the worker runs (Debian and Ubuntu: postgresql-client-${serverVersion}, Alpine: postgresql${serverVersion}-client), or add its folder to the PATH.`,
  );
}

/** 0 for a program that is not one, or cannot be run. */
async function versionOf(path: string): Promise<number> {
  const { stdout } = await run(path, ['--version']).catch(() => ({ stdout: '' }));
  return Number(/ (\d+)(?:\.|devel|beta|rc|\s|$)/.exec(stdout)?.[1] ?? 0);
}

/** The server of a URL: its version, and the environment by which libpq reaches it, with no secret in a list of processes. */
export async function reachServer(databaseUrl: string): Promise<{ version: number; env: NodeJS.ProcessEnv }> {
  const client = new PostgresClient({ connectionString: databaseUrl });
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>(
      `SELECT current_setting('server_version_num') AS version`,
    );
    const { searchParams } = new URL(databaseUrl);
    const [mode, authority] = [searchParams.get('sslmode'), searchParams.get('sslrootcert')];
    return {
      version: Math.floor(Number(rows[0]!.version) / 10_000),
      env: {
        ...childEnvironment({}),
        PGHOST: client.host,
        PGPORT: String(client.port),
        PGUSER: client.user,
        PGPASSWORD: client.password ?? '',
        PGDATABASE: client.database,
        PGSSLMODE: mode === null ? 'prefer' : mode === 'no-verify' ? 'require' : mode,
        ...(authority !== null && { PGSSLROOTCERT: authority }),
        PGOPTIONS: '',
        LC_ALL: 'C',
      },
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @throws LaunchError with the first line of what the program says */
export async function runTool(path: string, args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run(path, args, { env, maxBuffer: OUTPUT_BYTES });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const [line = message] = stderr.split('\n').filter((each) => /error|fatal/i.test(each));
    if (OWN_DISK_FULL.test(line)) throw Object.assign(new Error(line, { cause: error }), { code: 'ENOSPC' });
    throw new LaunchError(`${line.replace(/^pg_\w+: (error: )?/, '')} (${path})`, { cause: error });
  }
}
