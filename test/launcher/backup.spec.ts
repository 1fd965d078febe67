import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrls, readSettings } from '../../src/launcher/postgres-settings';
import { queryAs } from '../support/query-as';
import { eventually } from '../support/eventually';
import { TemporaryFolder } from '../support/temporary-folder';
import { Launched, processesOf } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

const isRoot = process.getuid?.() === 0;

let folder: string;
let dataDir: string;
let launcher: Launched;

beforeAll(async () => {
  folder = makeTemporaryFolder();
  dataDir = join(folder, 'data');
  launcher = Launched.start(dataDir);
  await launcher.ready();
  await run(['seed']);
});

afterAll(async () => {
  await launcher.end('SIGTERM');
  removeFolder(folder);
});

async function run(args: string[], into = dataDir): Promise<{ code: number | string; output: string }> {
  const command = Launched.greenroom(args, { DATA_DIR: into });
  const code = await command.ended();
  return { code, output: command.output };
}

async function query<T>(sql: string, of = dataDir): Promise<T[]> {
  return queryAs<T>(databaseUrls(readSettings(of)!).owner, sql);
}

it('a backup of a server that is being written to restores to a sound installation with everything committed before', async () => {
  const file = join(folder, 'backup.tar.gz');
  const writing = new AbortController();
  let written = 0;
  await query('CREATE TABLE scratch (n int PRIMARY KEY, filler text)');
  const writer = (async () => {
    while (!writing.signal.aborted) {
      written += 500;
      await query(
        `INSERT INTO scratch SELECT n, repeat('x', 500) FROM generate_series(${written - 499}, ${written}) n`,
      );
    }
  })();
  const [{ before }] = (await query<{ before: number }>('SELECT count(*)::int AS before FROM scratch')) as [
    { before: number },
  ];
  const backup = await run(['backup', file]);
  writing.abort();
  await writer;
  expect(backup.output).toContain('restored to a scratch folder and examined there.');
  expect(backup.code).toBe(0);
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(readdirSync(folder).filter((name) => name.startsWith('.greenroom-backup'))).toEqual([]);

  const other = join(folder, 'other');
  expect(await run(['restore', file], other)).toMatchObject({ code: 0 });
  const doctor = await run(['doctor'], other);
  expect([doctor.code, doctor.output]).toEqual([0, expect.stringContaining('Everything is healthy.')]);
  const restored = Launched.start(other);
  await restored.ready();
  const [row] = await query<{ rows: number; last: number }>(
    'SELECT count(*)::int AS rows, max(n) AS last FROM scratch',
    other,
  );
  await restored.end('SIGTERM');
  expect(row!.rows).toBe(row!.last);
  expect(row!.rows).toBeGreaterThanOrEqual(before);
});

it.each(['Copying', 'Packing', 'Restoring it to a scratch folder'])(
  'a backup that a signal ends at "%s" leaves no copy of the data and its secrets',
  async (step) => {
    const place = join(folder, 'ended');
    const temporary = join(folder, 'tmp');
    for (const each of [place, temporary]) mkdirSync(each, { recursive: true });
    const variables = { DATA_DIR: dataDir, TMPDIR: temporary } as object;
    const backup = Launched.greenroom(['backup', join(place, 'backup.tar.gz')], variables);
    await backup.printed(step);
    await eventually(() => expect(readdirSync(step.includes('scratch') ? temporary : place)).not.toEqual([]));
    expect(await backup.end('SIGTERM')).toBe(143);
    await eventually(() => expect(processesOf(temporary)).toEqual([]));
    expect(readdirSync(place).filter((name) => name !== 'backup.tar.gz')).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
    removeFolder(place);
  },
);

it('a backup fails for nothing that is not about its file', async () => {
  const variables = { DATA_DIR: dataDir, APPROVAL_OF_LIST_REMOVAL: 'on', DNSMOS_MODEL_PATH: '/nowhere' };
  const doctor = Launched.greenroom(['doctor'], variables);
  expect(await doctor.ended()).toBe(1);
  const backup = Launched.greenroom(['backup', join(folder, 'elsewhere.tar.gz')], variables);
  expect([await backup.ended(), backup.output]).toEqual([0, expect.stringContaining('examined there.')]);
});

(isRoot ? it : it.skip)('a full disk is not taken for a damaged file', async () => {
  const disk = TemporaryFolder.make('greenroom-full-', 8);
  try {
    const variables = { DATA_DIR: dataDir, TMPDIR: disk.path } as object;
    const backup = Launched.greenroom(['backup', join(folder, 'full.tar.gz')], variables);
    expect(await backup.ended()).toBe(1);
    expect(backup.output).toMatch(
      new RegExp(
        `^greenroom: \\S+full\\.tar\\.gz cannot be unpacked to ${disk.path}/\\S+: the disk is full\\.$`,
        'm',
      ),
    );
  } finally {
    disk.remove();
  }
});

it('a restore deletes what a killed one has left, and nothing else, such as the backup it is given', async () => {
  const target = join(folder, 'fourth');
  const left = '.greenroom-restore-a1B2c3';
  mkdirSync(join(target, left), { recursive: true });
  mkdirSync(join(target, 'restore-notes'));
  const file = join(target, 'restore-2026-11-26.tar.gz');
  copyFileSync(join(folder, 'backup.tar.gz'), file);
  expect(await run(['restore', file], target)).toMatchObject({ code: 0 });
  expect(readdirSync(target)).toEqual(expect.arrayContaining(['restore-2026-11-26.tar.gz', 'restore-notes']));
  expect(readdirSync(target)).not.toContain(left);
});

describe('a restore is refused, and changes nothing,', () => {
  it('while Greenroom is running', async () => {
    const { code, output } = await run(['restore', join(folder, 'backup.tar.gz'), '--replace']);
    expect([code, output]).toEqual([1, expect.stringMatching(/already running on .* Stop it first/)]);
  });

  it('over data that is there, unless it may be moved aside', async () => {
    const other = join(folder, 'other');
    const refused = await run(['restore', join(folder, 'backup.tar.gz')], other);
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(/holds data already. Add --replace/),
    ]);
    const replaced = await run(['restore', join(folder, 'backup.tar.gz'), '--replace'], other);
    expect([replaced.code, replaced.output]).toEqual([
      0,
      expect.stringMatching(/What was there before is in /),
    ]);
    const aside = readdirSync(other).find((name) => name.startsWith('replaced-'))!;
    expect(readdirSync(join(other, aside))).toEqual(
      expect.arrayContaining(['app-secret', 'first-run.json', 'postgres', 'postgres.json']),
    );
  });

  it.each([
    ['a file that is not there', 'missing.tar.gz', null, /The file .*missing.* does not exist/],
    ['a file of something else', 'else.tar.gz', 'something else', /is not a complete backup of Greenroom/],
  ])('of %s', async (_, name, content, message) => {
    const file = join(folder, name);
    if (content) writeFileSync(file, content);
    const target = join(folder, 'third');
    mkdirSync(target, { recursive: true });
    const { code, output } = await run(['restore', file], target);
    expect([code, output]).toEqual([1, expect.stringMatching(message)]);
    expect(readdirSync(target)).toEqual(['launcher.lock']);
  });
});

describe('a backup is refused', () => {
  it('over a file that exists', async () => {
    const { code, output } = await run(['backup', join(folder, 'backup.tar.gz')]);
    expect([code, output]).toEqual([1, expect.stringMatching(/exists already; give another name/)]);
  });

  it('where there is nothing yet', async () => {
    const { code, output } = await run(['backup', join(folder, 'x.tar.gz')], join(folder, 'nothing'));
    expect([code, output]).toEqual([1, expect.stringMatching(/nothing to back up/)]);
  });
});
