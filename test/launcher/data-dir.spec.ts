import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import { itWithContainers, startInContainer } from './containers';
import { clearFolder, Launched, makeDataFolder, processesOf } from './launched';

let folder: string;
let dataDir: string;

beforeEach(() => {
  ({ folder, dataDir } = makeDataFolder());
});

afterEach(async () => clearFolder(folder));

const keep = (url: string, note: string) => fetch(`${url}/${note}`, { method: 'POST' });
const notes = async (url: string) => (await (await fetch(url)).json()) as string[];
/** Not the shells that start it in a container, which have the whole script in their command. */
const pidsOf = (part: string) =>
  processesOf(folder)
    .filter(({ command }) => command.includes(part) && !/^(unshare|sh) /.test(command))
    .map(({ pid }) => pid);

/** Has the launcher stop in order; where it is in a container, that ends with it. */
async function stop(launcher: Launched): Promise<void> {
  for (const pid of pidsOf('run-launcher.cjs')) process.kill(pid, 'SIGTERM');
  expect(await launcher.ended()).toBe(0);
}

async function start(dir = dataDir): Promise<{ launcher: Launched; url: string }> {
  const launcher = Launched.start(dir);
  return { launcher, url: await launcher.ready() };
}

const pidFile = () => readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8');

describe('one DATA_DIR in two containers', () => {
  const REFUSED =
    /^greenroom: Greenroom is already running on \S+\/data \(in another container of this machine: host elsewhere, pid \d+ there\)\. Stop it first, or set another DATA_DIR\.\n$/;

  itWithContainers.each([
    ['another container', () => startInContainer(dataDir)],
    ['outside of it', () => Launched.start(dataDir)],
  ])('a second start from %s is refused, and touches nothing', async (_, startSecond) => {
    const first = startInContainer(dataDir);
    const url = await first.ready();
    await keep(url, 'before');
    const before = pidFile();
    const second = startSecond();
    expect(await second.ended()).toBe(1);
    expect(second.output).toMatch(REFUSED);
    expect(pidFile()).toBe(before);
    await keep(url, 'after');
    await stop(first);
    const { launcher, url: again } = await start();
    expect(await notes(again)).toEqual(['before', 'after']);
    expect(await launcher.end('SIGTERM')).toBe(0);
  });

  itWithContainers('a server whose launcher was killed keeps the lock until it has ended', async () => {
    const first = startInContainer(dataDir);
    await keep(await first.ready(), 'before');
    const [server] = pidsOf('postgres -D');
    for (const pid of [...pidsOf('greenroom-guard'), ...pidsOf('run-launcher.cjs')])
      process.kill(pid, 'SIGKILL');
    const second = Launched.start(dataDir);
    expect(await second.ended()).toBe(1);
    expect(second.output).toMatch(REFUSED);
    expect(pidsOf('postgres -D')).toEqual([server]);
    first.child.kill('SIGKILL');
    await first.ended();
    await eventually(() => expect(pidsOf('postgres -D')).toEqual([]));
    const { launcher, url } = await start();
    expect(await notes(url)).toEqual(['before']);
    expect(await launcher.end('SIGTERM')).toBe(0);
  });
});

describe('a DATA_DIR that was copied or moved', () => {
  it('a copy of a running one has a server and data of its own', async () => {
    const { launcher, url } = await start();
    await keep(url, 'shared');
    const [server] = pidsOf('postgres -D');
    await fetch(url);
    const copy = join(folder, 'copy');
    execFileSync('cp', ['-a', dataDir, copy]);
    const { launcher: other, url: otherUrl } = await start(copy);
    expect(other.output).not.toContain('left behind');
    await Promise.all([keep(url, 'original'), keep(otherUrl, 'copy')]);
    expect(await notes(url)).toEqual(['shared', 'original']);
    expect(await notes(otherUrl)).toEqual(['shared', 'copy']);
    expect(pidsOf('postgres -D')).toContain(server);
    expect([await launcher.end('SIGTERM'), await other.end('SIGTERM')]).toEqual([0, 0]);
    expect(launcher.output).not.toContain('starting again');
  });

  it('one that was moved has its data, also from a release that stored where it was', async () => {
    const { launcher, url } = await start();
    await keep(url, 'moved');
    await launcher.end('SIGTERM');
    const settings = join(dataDir, 'postgres.json');
    const stored = JSON.parse(readFileSync(settings, 'utf8')) as object;
    expect(stored).not.toHaveProperty('home');
    execFileSync('tee', [settings], { input: JSON.stringify({ ...stored, home: dataDir }) });
    const moved = join(folder, 'moved');
    renameSync(dataDir, moved);
    const { launcher: next, url: nextUrl } = await start(moved);
    expect(await notes(nextUrl)).toEqual(['moved']);
    expect(await next.end('SIGTERM')).toBe(0);
  });
});

describe('started by root with a umask that closes every folder, for a DATA_DIR that others cannot enter', () => {
  /** Where the server's files go instead is this test's own. */
  const prepare = () => `mount --bind ${folder}/var-lib /var/lib; umask 077`;

  beforeEach(() => {
    mkdirSync(join(folder, 'closed'));
    chmodSync(join(folder, 'closed'), 0o700);
    mkdirSync(join(folder, 'var-lib'));
    chmodSync(join(folder, 'var-lib'), 0o755);
    dataDir = join(folder, 'closed/data');
  });

  itWithContainers('every start works, and that of a copy is refused', async () => {
    for (const note of ['first', 'second']) {
      const launcher = startInContainer(dataDir, prepare());
      await keep(await launcher.ready(), note);
      await stop(launcher);
    }
    // As an earlier release has left it.
    chmodSync(join(folder, 'var-lib/greenroom'), 0o700);
    const launcher = startInContainer(dataDir, prepare());
    expect(await notes(await launcher.ready())).toEqual(['first', 'second']);
    await stop(launcher);
    const copy = join(folder, 'closed/copy');
    cpSync(dataDir, copy, { recursive: true });
    const refused = startInContainer(copy, prepare());
    expect(await refused.ended()).toBe(1);
    expect(refused.output).toContain(
      `greenroom: ${copy} is a copy of ${dataDir}, and the database of both is in /var/lib/greenroom/`,
    );
    renameSync(dataDir, join(folder, 'closed/moved'));
    const moved = startInContainer(join(folder, 'closed/moved'), prepare());
    expect(await notes(await moved.ready())).toEqual(['first', 'second']);
    await stop(moved);
  });
});
