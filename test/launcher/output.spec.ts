import { spawn, type StdioOptions } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { childEnvironment } from '@app/config/app-config';
import { databaseUrls, readSettings } from '../../src/launcher/postgres-settings';
import { eventually } from '../support/eventually';
import { freePort } from '../support/redis-server';
import { clearFolder, Launched, makeDataFolder, PROJECT, processesOf, STAND_IN_LAUNCHER } from './launched';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';
const GREENROOM = join(PROJECT, 'dist/src/main.js');
/** Every write to it fails as on a full disk. */
const FULL = '/dev/full';

let folder: string;
let dataDir: string;

beforeEach(() => {
  ({ folder, dataDir } = makeDataFolder());
});

afterEach(async () => clearFolder(folder));

type Variables = Parameters<typeof Launched.start>[1];

function run(args: string[], stdio: StdioOptions, variables: Variables): Launched {
  const env = childEnvironment({ DATABASE_URL: '', REDIS_URL: '', HOST: '127.0.0.1', ...variables });
  return new Launched(spawn(process.execPath, args, { env, stdio }));
}

const toFullDisk = (): StdioOptions => ['ignore', openSync(FULL, 'w'), openSync(FULL, 'w')];
const isServing = async (url: string) => expect((await fetch(url)).status).toBe(200);

describe('a start', () => {
  it('whose output is on a full disk runs, and stops in order', async () => {
    const port = await freePort();
    const launcher = run([STAND_IN_LAUNCHER], toFullDisk(), { DATA_DIR: dataDir, PORT: String(port) });
    await eventually(async () => isServing(`http://127.0.0.1:${port}`));
    expect(await launcher.end('SIGTERM')).toBe(0);
    expect(processesOf(folder)).toEqual([]);
  });

  it('whose output nobody reads any more keeps running', async () => {
    const launcher = Launched.start(dataDir);
    const url = await launcher.ready();
    for (const stream of [launcher.child.stdout!, launcher.child.stderr!]) stream.destroy();
    const worker = processesOf(dataDir).find(({ command }) => command.includes('children.cjs worker'))!;
    // Which the launcher reports.
    process.kill(worker.pid, 'SIGKILL');
    await eventually(() => {
      const workers = processesOf(dataDir).filter(({ command }) => command.includes('children.cjs worker'));
      expect(workers).toEqual([expect.objectContaining({ pid: expect.any(Number) })]);
      expect(workers).not.toContainEqual(worker);
    });
    await isServing(url);
    expect(await launcher.end('SIGTERM')).toBe(0);
  });

  it('that belongs to no terminal, as with nohup, outlives one', async () => {
    const launcher = Launched.start(dataDir);
    const url = await launcher.ready();
    launcher.child.kill('SIGHUP');
    await isServing(url);
    expect(await launcher.end('SIGTERM')).toBe(0);
    expect(launcher.output.match(/stopping api and worker/g)).toHaveLength(1);
  });

  it('ends in order with its terminal', async () => {
    const command = `DATA_DIR=${dataDir} PORT=0 ${process.execPath} ${STAND_IN_LAUNCHER}`;
    const terminal = Launched.run('script', ['-qec', command, '/dev/null'], PROJECT, {});
    await terminal.ready();
    terminal.child.kill('SIGKILL');
    await eventually(() => expect(processesOf(dataDir)).toEqual([]), { withinMs: 20_000 });
    const next = Launched.start(dataDir);
    await next.ready();
    expect(next.output).not.toContain('left behind');
    expect(await next.end('SIGTERM')).toBe(0);
  });

  it('writes JSON lines with LOG_FORMAT=json', async () => {
    const launcher = Launched.start(dataDir, { LOG_FORMAT: 'json' });
    await launcher.ready();
    expect(await launcher.end('SIGTERM')).toBe(0);
    const lines = launcher.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'log', context: 'greenroom', message: 'stopped' }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('stopping while') }),
    );
  });

  it('says that a file .env is not read', async () => {
    writeFileSync(join(folder, '.env'), 'PORT=1\n');
    const launcher = Launched.run(process.execPath, [STAND_IN_LAUNCHER], folder, {
      DATA_DIR: dataDir,
      PORT: '0',
    });
    await launcher.ready();
    expect(launcher.output).toContain(
      'greenroom  | the file .env in this folder is not read; for its variables, run ',
    );
    expect(await launcher.end('SIGTERM')).toBe(0);
  });
});

it('a command whose output is on a full disk fails with a sentence', async () => {
  const command = run([GREENROOM, 'openapi'], ['ignore', openSync(FULL, 'w'), 'pipe'], {});
  expect([await command.ended(), command.output]).toEqual([
    1,
    'greenroom: The output cannot be written: the disk is full.\n',
  ]);
});

describe('an api of its own', () => {
  /** On the database of an installation without processes of its own. */
  async function variables(): Promise<Variables> {
    await Launched.start(dataDir).ready();
    const { application, owner } = databaseUrls(readSettings(dataDir)!);
    const own = { DATA_DIR: dataDir, DATABASE_URL: application, APP_SECRET, PORT: String(await freePort()) };
    const migration = Launched.greenroom(['migrate'], { ...own, MIGRATION_DATABASE_URL: owner });
    expect(await migration.ended()).toBe(0);
    return own;
  }

  it('whose output is on a full disk serves, and is refused a busy METRICS_PORT', async () => {
    const own = await variables();
    const api = run([GREENROOM, 'api'], toFullDisk(), own);
    await eventually(async () => isServing(`http://127.0.0.1:${own?.PORT}/readyz`));
    expect(await api.end('SIGTERM')).toBe(0);

    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const API_PROCESSES of ['1', '2']) {
      const refused = Launched.greenroom(['api'], { ...own, METRICS_PORT: String(port), API_PROCESSES });
      expect(await refused.ended()).toBe(1);
      expect(refused.output).toContain(
        `greenroom: METRICS_PORT: port ${port} is in use at 127.0.0.1; give another one, or 0 for any free port.\n`,
      );
    }
    server.close();
  });
});
