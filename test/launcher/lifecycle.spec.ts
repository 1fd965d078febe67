import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import { Launched, processesOf } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

/** One for the whole file: every test leaves it stopped, with the data of the tests before. */
let dataDir: string;

beforeAll(() => (dataDir = makeTemporaryFolder()));

afterEach(async () => {
  killAll();
  await nothingIsLeft();
});

afterAll(() => removeFolder(dataDir));

async function start(): Promise<{ launcher: Launched; url: string }> {
  const launcher = Launched.start(dataDir);
  return { launcher, url: await launcher.ready() };
}

async function notes(url: string): Promise<string[]> {
  const response = await fetch(url);
  return (await response.json()) as string[];
}

const keep = (url: string, note: string) => fetch(`${url}/${note}`, { method: 'POST' });

const pidOf = (part: string) => processesOf(dataDir).find(({ command }) => command.includes(part))!.pid;

function killAll(): void {
  for (const { pid } of processesOf(dataDir)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just gone.
    }
  }
}

const nothingIsLeft = () => eventually(() => expect(processesOf(dataDir)).toEqual([]), { withinMs: 25_000 });

describe('one launcher per DATA_DIR', () => {
  it('refuses a second start and names the first', async () => {
    const { launcher } = await start();
    const second = Launched.start(dataDir);
    expect(await second.ended()).toBe(1);
    expect(second.output).toBe(
      `greenroom: Greenroom is already running on ${dataDir} (pid ${launcher.child.pid}). Stop it first, or set another DATA_DIR.\n`,
    );
    expect(await launcher.end('SIGTERM')).toBe(0);
  });

  it('takes over from a holder whose pid belongs to another process now', async () => {
    const record = { pid: process.pid, startedAt: 'another boot/1', children: [] };
    writeFileSync(join(dataDir, 'launcher.lock'), JSON.stringify(record));
    const { launcher } = await start();
    expect(await launcher.end('SIGTERM')).toBe(0);
  });

  it('lets one of several starts at the same time through', async () => {
    writeFileSync(join(dataDir, 'launcher.lock'), 'half a reco');
    const all = [1, 2, 3, 4].map(() => Launched.start(dataDir));
    const refused = await Promise.all(
      all.map(async (one) => Promise.race([one.ended(), one.ready().then(() => 'runs')])),
    );
    expect(refused.toSorted()).toEqual([1, 1, 1, 'runs']);
    await Promise.all(all.map((one) => one.end('SIGTERM')));
  });
});

describe('a stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s ends the children first and leaves nothing',
    async (signal) => {
      const { launcher } = await start();
      expect(await launcher.end(signal)).toBe(0);
      expect(launcher.output.match(/stopping while the database answers/g)).toHaveLength(2);
      expect(launcher.output).toMatch(/stopping PostgreSQL\n.*stopped\n$/);
      expect(processesOf(dataDir)).toEqual([]);
    },
  );

  it.each(['SIGTERM', 'SIGKILL'] as const)('by %s to npm ends everything in order', async (signal) => {
    const start = `${process.execPath} ${join(__dirname, 'stand-ins/run-launcher.cjs')}`;
    writeFileSync(join(dataDir, 'package.json'), JSON.stringify({ scripts: { start } }));
    const npm = Launched.run('npm', ['start'], dataDir, { DATA_DIR: dataDir, PORT: '0' });
    await npm.ready();
    npm.child.kill(signal);
    await nothingIsLeft();
    expect(npm.output.match(/stopping while the database answers/g)).toHaveLength(2);
  });

  it('in the middle of the first start leaves nothing, and the next start works', async () => {
    const fresh = join(dataDir, 'fresh');
    const launcher = Launched.start(fresh);
    await launcher.printed('making a new database');
    expect(await launcher.end('SIGTERM')).toBe(0);
    expect(processesOf(fresh)).toEqual([]);
    const next = Launched.start(fresh);
    await next.ready();
    expect(await next.end('SIGTERM')).toBe(0);
  });

  it('leaves the api the time of DRAIN_SECS', async () => {
    const launcher = Launched.start(dataDir, { DRAIN_SECS: '16' });
    await launcher.ready();
    const startedAtMs = performance.now();
    expect(await launcher.end('SIGTERM')).toBe(0);
    expect(performance.now() - startedAtMs).toBeGreaterThan(16_000);
    expect(launcher.output).toMatch(/api .*stopping while the database answers/);
    expect(launcher.output).not.toContain('still running');
  });

  it('is forced by a second signal when a child does not stop', async () => {
    const { launcher } = await start();
    process.kill(pidOf('children.cjs worker'), 'SIGSTOP');
    launcher.child.kill('SIGTERM');
    await eventually(() => expect(launcher.output).toContain('stopping api and worker'));
    await eventually(() => {
      launcher.child.kill('SIGTERM');
      expect(launcher.output).toContain('stopping at once');
    });
    await launcher.ended();
    await nothingIsLeft();
  });
});

describe('kill -9', () => {
  it('of the launcher leaves nothing, and the data is there at the next start', async () => {
    const { launcher, url } = await start();
    await keep(url, 'launcher');
    await launcher.end('SIGKILL');
    await nothingIsLeft();
    const { launcher: next, url: nextUrl } = await start();
    expect(await notes(nextUrl)).toContain('launcher');
    await next.end('SIGTERM');
  });

  it('of the launcher and its guard, with a frozen child: the next start ends them and has the data', async () => {
    const { launcher, url } = await start();
    await keep(url, 'guard');
    const [worker, postgres] = [pidOf('children.cjs worker'), pidOf('postgres -D')];
    process.kill(worker, 'SIGSTOP');
    process.kill(pidOf('/bin/sh -c'), 'SIGKILL');
    await launcher.end('SIGKILL');
    const { launcher: next, url: nextUrl } = await start();
    expect(await notes(nextUrl)).toContain('guard');
    const running = new Set(processesOf(dataDir).map(({ pid }) => pid));
    expect([running.has(worker), running.has(postgres)]).toEqual([false, false]);
    expect(next.output).toContain(`stopped a server (pid ${postgres}) that an earlier run has left behind`);
    await next.end('SIGTERM');
  });

  it('of everything at once: the next start has the data', async () => {
    const { url } = await start();
    await keep(url, 'everything');
    killAll();
    const { launcher, url: nextUrl } = await start();
    expect(await notes(nextUrl)).toContain('everything');
    await launcher.end('SIGTERM');
  });

  it('of PostgreSQL: it is back on the same port with the same data', async () => {
    const { launcher, url } = await start();
    await keep(url, 'server');
    const before = pidOf('postgres -D');
    process.kill(before, 'SIGKILL');
    await launcher.printed('postgres.*was ended by SIGKILL; starting again in 0.5 s');
    await eventually(async () => expect(await notes(url)).toContain('server'));
    expect(pidOf('postgres -D')).not.toBe(before);
    await launcher.end('SIGTERM');
  });

  it('of PostgreSQL whose log was deleted: it is back as well', async () => {
    const { launcher, url } = await start();
    await keep(url, 'log');
    rmSync(join(dataDir, 'postgres.log'));
    process.kill(pidOf('postgres -D'), 'SIGKILL');
    await eventually(async () => expect(await notes(url)).toContain('log'));
    await launcher.end('SIGTERM');
  });

  it('of a child: it is started again', async () => {
    const { launcher, url } = await start();
    process.kill(pidOf('children.cjs api'), 'SIGKILL');
    await launcher.printed('api .*was ended by SIGKILL; starting again in 0.5 s');
    await eventually(async () => expect(Array.isArray(await notes(url))).toBe(true));
    await launcher.end('SIGTERM');
  });
});
