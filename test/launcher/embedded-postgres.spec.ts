import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataDirLock } from '../../src/launcher/data-dir-lock';
import { EmbeddedPostgres } from '../../src/launcher/embedded-postgres';
import { findInstalled, locatePostgres } from '../../src/launcher/postgres-binaries';
import { chooseServerAccount } from '../../src/launcher/postgres-account';
import { databaseUrls, readSettings, writeSettings } from '../../src/launcher/postgres-settings';
import { queryAs } from '../support/query-as';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

let folder: string;
let notes: string[] = [];

beforeEach(() => (notes = []));

const isRoot = process.getuid?.() === 0;
/** Above the largest pid of any system. */
const NO_PID = 2 ** 22 + 1;

async function whileRunning(run: (client: Client) => Promise<void>): Promise<void> {
  const onNote = (note: string) => void notes.push(note);
  const lock = await DataDirLock.acquire(folder, onNote);
  const server = new EmbeddedPostgres(folder, lock, { onNote, onPid: () => undefined });
  try {
    const client = new Client({ connectionString: (await server.start()).owner });
    await client.connect();
    try {
      await run(client);
    } finally {
      await client.end();
    }
  } finally {
    await server.stop();
    lock.release();
  }
}

const valueOf = async (client: Client, sql: string) =>
  Object.values((await client.query<Record<string, unknown>>(sql)).rows[0] ?? {})[0];

describe('the embedded server', () => {
  beforeAll(async () => {
    folder = makeTemporaryFolder();
    await whileRunning(async (client) => {
      await client.query("CREATE TABLE note AS SELECT 'kept' AS text");
    });
  });
  afterAll(() => removeFolder(folder));

  it('listens on loopback only, requires a password and keeps checksums', async () => {
    await whileRunning(async (client) => {
      expect(await valueOf(client, 'SHOW listen_addresses')).toBe('127.0.0.1');
      expect(await valueOf(client, 'SHOW data_checksums')).toBe('on');
      expect(await valueOf(client, 'SHOW fsync')).toBe('on');
      expect(
        await valueOf(client, 'SELECT datlocprovider FROM pg_database WHERE datname = current_database()'),
      ).toBe('b');
      const { port } = client;
      const stranger = new Client({
        host: '127.0.0.1',
        port,
        user: 'greenroom',
        password: 'guess',
        database: 'postgres',
      });
      await expect(stranger.connect()).rejects.toThrow('password authentication failed');
    });
    expect(statSync(join(folder, 'postgres.json')).mode & 0o777).toBe(0o600);
  });

  it('keeps its port and its data between starts', async () => {
    const { port } = readSettings(folder)!;
    await whileRunning(async (client) => {
      expect(client.port).toBe(port);
      expect(await valueOf(client, 'SELECT text FROM note')).toBe('kept');
    });
  });

  it('gets at its data again when its settings file is lost', async () => {
    rmSync(join(folder, 'postgres.json'));
    await whileRunning(async (client) => {
      expect(await valueOf(client, 'SELECT text FROM note')).toBe('kept');
    });
  });

  it('gives both roles new passwords when its settings file is lost', async () => {
    await whileRunning(async () => undefined);
    rmSync(join(folder, 'postgres.json'));
    await whileRunning(async () => {
      expect(await queryAs(databaseUrls(readSettings(folder)!).application, 'SELECT 1 AS one')).toEqual([
        { one: 1 },
      ]);
    });
  });

  it('gives a folder of an earlier release the role of the application', async () => {
    await whileRunning(async (client) => void (await client.query('DROP ROLE greenroom_app')));
    const { application: _, ...earlier } = readSettings(folder)!;
    writeSettings(folder, earlier);
    await whileRunning(async (client) => {
      const { application } = databaseUrls(readSettings(folder)!);
      expect(await queryAs(application, 'SELECT current_user AS role')).toEqual([{ role: 'greenroom_app' }]);
      expect(await valueOf(client, 'SELECT text FROM note')).toBe('kept');
    });
  });

  const pidFile = () => join(folder, 'postgres/postmaster.pid');
  const leavePidFile = (pid: number) => writeFileSync(pidFile(), `${pid}\n${folder}/postgres\n1\n1\n\n\n`);
  const starts = () => whileRunning(async (client) => expect(await valueOf(client, 'SELECT 1')).toBe(1));

  it('is not held up by a pid file of its own whose pid is another process now', async () => {
    const lock = await DataDirLock.acquire(folder, () => undefined);
    lock.update({ server: { pid: process.pid, startedAt: 'an earlier one' } });
    lock.release();
    leavePidFile(process.pid);
    await starts();
  });

  it('is not held up by a pid file from before the machine was started', async () => {
    const place = { host: 'here', boot: 'an earlier one', pidNamespace: '' };
    const record = { pid: process.pid, startedAt: 'an earlier one/1', place, children: [] };
    writeFileSync(join(folder, 'launcher.lock'), JSON.stringify(record));
    leavePidFile(NO_PID);
    await starts();
  });

  it.each(['', '\0'.repeat(100), 'torn'])(
    'starts where a power cut has left the pid file as %j',
    async (text) => {
      writeFileSync(pidFile(), text);
      await starts();
    },
  );

  it('leaves a pid file alone whose server may run in another container', async () => {
    leavePidFile(NO_PID);
    const before = readFileSync(pidFile());
    await expect(starts()).rejects.toThrow(
      `${pidFile()} says that a PostgreSQL with pid ${NO_PID} runs on these files, and this process can neither see it`,
    );
    expect(readFileSync(pidFile())).toEqual(before);
    rmSync(pidFile());
  });

  it('does not start on data of another major version', async () => {
    const versionFile = join(folder, 'postgres/PG_VERSION');
    const written = readFileSync(versionFile);
    writeFileSync(versionFile, '12\n');
    await expect(whileRunning(async () => undefined)).rejects.toThrow(/was written by PostgreSQL 12/);
    writeFileSync(versionFile, written);
  });
});

describe('run by root for a DATA_DIR of another user', () => {
  const OWNER = 65_534;

  beforeAll(() => {
    folder = makeTemporaryFolder();
    chownSync(folder, OWNER, OWNER);
  });
  afterAll(() => removeFolder(folder));

  (isRoot ? it : it.skip)('leaves files that this user can read, and settings as they are', async () => {
    await whileRunning(async () => undefined);
    const ownerOf = (name: string) => statSync(join(folder, name)).uid;
    expect([ownerOf('postgres.json'), ownerOf('postgres.log')]).toEqual([OWNER, OWNER]);
    const { ino } = statSync(join(folder, 'postgres.json'));
    rmSync(join(folder, 'postgres.log'));
    await whileRunning(async () => undefined);
    expect([ownerOf('postgres.json'), ownerOf('postgres.log')]).toEqual([OWNER, OWNER]);
    expect(statSync(join(folder, 'postgres.json')).ino).toBe(ino);
  });
});

describe('started by root with a DATA_DIR that others cannot enter', () => {
  beforeAll(() => {
    folder = makeTemporaryFolder();
    chmodSync(folder, 0o700);
  });
  afterAll(() => removeFolder(folder));

  (isRoot ? it : it.skip)('the server keeps its data where its user can enter', async () => {
    await whileRunning(async (client) => {
      expect(await valueOf(client, 'SELECT 1')).toBe(1);
    });
    const { home } = readSettings(folder)!;
    expect(home).toMatch(/^\/var\/lib\/greenroom\//);
    expect(notes.join('\n')).toContain(`it keeps its data in ${home}`);
    removeFolder(home);
  });
});

describe('the programs', () => {
  const account = chooseServerAccount('/nowhere', () => undefined);
  const libpq = join('lib', 'libpq.so.5');
  let native: string;

  beforeEach(() => {
    folder = makeTemporaryFolder();
    native = join(folder, 'package/native');
    const filter = (path: string) => !/\.a$|share$/.test(path);
    cpSync(findInstalled(), native, { recursive: true, verbatimSymlinks: true, filter });
    rmSync(join(native, libpq));
  });
  afterEach(() => removeFolder(folder));

  const versionOf = (program: string) =>
    execFileSync(program, ['--version'], { ...account, cwd: '/', encoding: 'utf8' });

  it('run after the links that a blocked install script did not make are restored', () => {
    const { postgres, initdb } = locatePostgres(account, join(folder, 'copy'), native);
    expect(postgres).toBe(join(native, 'bin/postgres'));
    expect([versionOf(postgres), versionOf(initdb)].join()).toContain('PostgreSQL');
    expect(existsSync(join(folder, 'copy'))).toBe(false);
  });

  it('run from a copy when the packages can be neither written nor, for root, reached', () => {
    chmodSync(join(native, 'lib'), 0o500);
    const { postgres } = locatePostgres(account, join(folder, 'copy'), native);
    expect(postgres).toBe(join(folder, 'copy/bin/postgres'));
    expect(versionOf(postgres)).toContain('PostgreSQL');
    chmodSync(join(native, 'lib'), 0o700);
  });

  it('say why when they do not run here', () => {
    writeFileSync(join(native, 'bin/postgres'), '#!/bin/sh\necho no such luck >&2\nexit 1\n');
    expect(() => locatePostgres(account, join(folder, 'copy'), native)).toThrow(
      'The embedded PostgreSQL does not run on this system: no such luck. Set DATABASE_URL to a PostgreSQL of your own.',
    );
    expect(readFileSync(join(native, 'bin/postgres'), 'utf8')).toContain('luck');
  });
});
