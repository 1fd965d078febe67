import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/launcher/free-port';
import { chooseServerAccount } from '../../src/launcher/postgres-account';
import { eventually } from './eventually';
import { queryAs } from './query-as';
import { TemporaryFolder } from './temporary-folder';

const PASSWORD = 'a-password-of-the-tests';

/** Where Debian has the programs of a PostgreSQL of its own with a pg_dump, oldest first. */
export const INSTALLED = foldersOf('/usr/lib/postgresql').filter((folder) =>
  ['postgres', 'initdb', 'pg_dump'].every(
    (name) => spawnSync(join(folder, name), ['--version']).status === 0,
  ),
);

if (INSTALLED.length === 0)
  console.warn(
    'No PostgreSQL with pg_dump is installed: the tests of it are LEFT OUT. Debian: apt-get install postgresql.',
  );

function foldersOf(place: string): string[] {
  try {
    return readdirSync(place).map((version) => join(place, version, 'bin'));
  } catch {
    return [];
  }
}

/** A server of an installed PostgreSQL, with the rights that its operator has. */
export class InstalledPostgres {
  private constructor(
    readonly url: string,
    private readonly server: ChildProcess,
    private readonly folder: TemporaryFolder,
  ) {}

  static async start(programs = INSTALLED[0]!): Promise<InstalledPostgres> {
    const folder = TemporaryFolder.make('greenroom-installed-');
    const account = chooseServerAccount(folder.path, () => undefined);
    const [data, password] = [join(folder.path, 'data'), join(folder.path, 'password')];
    writeFileSync(password, PASSWORD);
    for (const path of [folder.path, password]) {
      chmodSync(path, 0o700);
      if (account.uid !== undefined) chownSync(path, account.uid, account.gid!);
    }
    const options = { ...account, cwd: folder.path, stdio: 'ignore' } as const;
    const created = [`--pgdata=${data}`, '--username=postgres', `--pwfile=${password}`, '--encoding=UTF8'];
    execFileSync(join(programs, 'initdb'), [...created, '--auth=scram-sha-256', '--locale=C'], options);
    const port = await freePort('127.0.0.1');
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])];
    const server = spawn(join(programs, 'postgres'), args, options);
    const postgres = new InstalledPostgres(
      `postgres://postgres:${PASSWORD}@127.0.0.1:${port}`,
      server,
      folder,
    );
    await eventually(() => postgres.query('SELECT 1'));
    return postgres;
  }

  query<T>(sql: string): Promise<T[]> {
    return queryAs<T>(`${this.url}/postgres`, sql);
  }

  /** The URL of a new, empty database. */
  async create(name: string): Promise<string> {
    await this.query(`CREATE DATABASE ${name}`);
    return `${this.url}/${name}`;
  }

  async stop(): Promise<void> {
    this.server.kill('SIGINT');
    await once(this.server, 'exit');
    this.folder.remove();
  }
}
