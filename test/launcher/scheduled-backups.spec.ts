import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrls, readSettings } from '../../src/launcher/postgres-settings';
import { eventually } from '../support/eventually';
import { queryAs, whileLocked } from '../support/query-as';
import { shiftedClock } from '../support/shifted-clock';
import { TemporaryFolder } from '../support/temporary-folder';
import { Launched, processesOf } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

const DAY_MS = 24 * 3_600_000;
const isRoot = process.getuid?.() === 0;

/** A week of backups, three of them proved, takes minutes on a machine that is busy with other suites. */
jest.setTimeout(900_000);

let folder: string;
let dataDir: string;
let launcher: Launched;

beforeAll(async () => {
  folder = makeTemporaryFolder();
  dataDir = join(folder, 'data');
  launcher = Launched.start(dataDir);
  await launcher.ready();
  expect(await backup(['seed'])).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await launcher.end('SIGTERM');
  removeFolder(folder);
});

interface Options {
  to?: string;
  days?: number;
  variables?: object;
}

/** A command on the data folder, on a clock that is fast by days. */
function start(
  args: string[],
  { to = join(folder, 'backups'), days = 0, variables = {} }: Options = {},
): Launched {
  const { env, execArgv } = shiftedClock({ ms: days * DAY_MS });
  const clock = { ...env, NODE_OPTIONS: execArgv.join(' ') };
  return Launched.greenroom(args, { DATA_DIR: dataDir, BACKUP_TO: to, ...clock, ...variables } as object);
}

async function backup(args: string[], options?: Options): Promise<{ code: number | string; output: string }> {
  const command = start(args, options);
  return { code: await command.ended(), output: command.output };
}

const query = <T>(sql: string) => queryAs<T>(databaseUrls(readSettings(dataDir)!).owner, sql);

const daysOf = (names: string[]) => names.map((name) => Number(name.slice(16, 18)));
const day = (days: number) => new Date(Date.now() + days * DAY_MS).getUTCDate();

it('of a week of backups those stay that BACKUP_KEEP says, and as many are proved as BACKUP_PROOF_DAYS says', async () => {
  const variables = { BACKUP_KEEP: '3d,0w,0m', BACKUP_PROOF_DAYS: '3' };
  const proved: number[] = [];
  for (let days = 0; days < 7; days++) {
    const { code, output } = await backup(['backup', 'run'], { days, variables });
    expect([code, output]).toEqual([0, expect.stringMatching(/^greenroom-\S+: [\d.]+ MB in /m)]);
    if (output.includes(': proved,')) proved.push(days);
  }
  expect(proved).toEqual([0, 3, 6]);
  const names = readdirSync(join(folder, 'backups')).sort();
  expect(daysOf(names)).toEqual([day(4), day(5), day(6)]);
  for (const name of names) expect(statSync(join(folder, 'backups', name)).mode & 0o077).toBe(0);
  const { output } = await backup(['backup', 'list'], { variables });
  expect(output.match(/ proved /g)).toHaveLength(1);
  expect(output.match(/not proved/g)).toHaveLength(2);
});

it.each([300, 1_200, 2_000, 3_000, 5_000])(
  'a backup that is killed after %s ms leaves none that is half, and the next one removes what it left',
  async (ms) => {
    const to = join(folder, `killed-${ms}`);
    const killed = start(['backup', 'run'], { to, variables: { BACKUP_PROOF_DAYS: '0' } });
    await Promise.race([killed.ended(), new Promise((resolve) => setTimeout(resolve, ms))]);
    await killed.end('SIGKILL');
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(to).filter((each) => each.startsWith('greenroom-')))
      execFileSync('tar', ['-tzf', join(to, name)]);
    await eventually(async () => {
      const [{ held }] = (await query<{ held: number }>(
        `SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND objid = 7301976`,
      )) as [{ held: number }];
      expect(held).toBe(0);
    });
    const next = await backup(['backup', 'run'], { to, variables: { BACKUP_PROOF_DAYS: '365' } });
    expect([next.code, next.output]).toEqual([0, expect.stringContaining(' MB in ')]);
    expect(readdirSync(to).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(await query(`SELECT 1 FROM backup_run WHERE ended_at IS NULL`)).toEqual([]);
    await eventually(() => expect(processesOf('.greenroom-backup')).toEqual([]));
  },
);

it('of two that begin at once, one makes a backup and the other says so', async () => {
  const to = join(folder, 'two');
  const ended = await Promise.all([backup(['backup', 'run'], { to }), backup(['backup', 'run'], { to })]);
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(ended.filter(({ output }) => output.includes('Another process makes a backup'))).toHaveLength(1);
  expect(readdirSync(to)).toHaveLength(1);
});

describe('of two workers that both hold the schedule', () => {
  const to = () => join(folder, 'workers');
  const schedule = { BACKUP_SCHEDULE: '0 3 * * *', BACKUP_PROOF_DAYS: 'off' };

  beforeAll(() => query('DELETE FROM backup_run'));

  it('one makes the backup, once', async () => {
    const { application } = databaseUrls(readSettings(dataDir)!);
    const APP_SECRET = readFileSync(join(dataDir, 'app-secret'), 'utf8').trim();
    const variables = { ...schedule, DATABASE_URL: application, APP_SECRET, LOG_LEVEL: 'log' };
    const workers = [1, 2].map(() => start(['worker'], { to: to(), variables }));
    try {
      // Both find that it is due before either of them can write that it has begun.
      const said = () => workers.map(({ output }) => output).join('');
      const oneWaits = () =>
        eventually(() => expect(said()).toContain('Another process makes a backup'), { withinMs: 240_000 });
      await whileLocked(databaseUrls(readSettings(dataDir)!).owner, 'backup_run', oneWaits, 'EXCLUSIVE');
      await eventually(() => expect(said()).toContain(` MB in ${to()}`));
    } finally {
      expect(await Promise.all(workers.map((worker) => worker.end('SIGTERM')))).toEqual([0, 0]);
    }
    expect(workers.filter(({ output }) => output.includes(` MB in ${to()}`))).toHaveLength(1);
    expect(readdirSync(to())).toHaveLength(1);
    expect(await query('SELECT name FROM backup_run')).toHaveLength(1);
  });

  it('the one that begins it later, when it is made, makes no other', async () => {
    const late = await backup(['backup', 'run', '--if-due'], { to: to(), variables: schedule });
    expect([late.code, late.output]).toEqual([
      0,
      expect.stringContaining('No backup is due: another process has made it.'),
    ]);
    expect(readdirSync(to())).toHaveLength(1);
    const without = await backup(['backup', 'run', '--if-due'], { to: to() });
    expect([without.code, without.output]).toEqual([
      1,
      expect.stringContaining('greenroom: BACKUP_SCHEDULE is not set: it says when a backup is due.'),
    ]);
  });
});

describe('a sentence says what to do', () => {
  it.each([
    [
      { BACKUP_SCHEDULE: 'daily' },
      /^greenroom: BACKUP_SCHEDULE: "daily" is not accepted; give a cron expression/m,
    ],
    [
      { BACKUP_KEEP: '0d,0w,0m' },
      /^greenroom: BACKUP_KEEP: "0d,0w,0m" is not accepted; give days, weeks and months/m,
    ],
    [{ BACKUP_TO: 's3' }, /^greenroom: BACKUP_TO: "s3" is not accepted; give the absolute path of a folder/m],
    [
      { BACKUP_TO: '/dev/null/none' },
      /BACKUP_TO \/dev\/null\/none cannot be written: .+ set BACKUP_TO to another one\./,
    ],
  ])('with %j', async (variables, sentence) => {
    const { code, output } = await backup(['backup', 'run'], { variables });
    expect([code, output]).toEqual([1, expect.stringMatching(sentence)]);
  });

  (isRoot ? it : it.skip)('when the disk fills during a backup, of which nothing is left', async () => {
    const disk = TemporaryFolder.make('greenroom-full-', 8);
    try {
      const { code, output } = await backup(['backup', 'run'], { to: disk.path });
      expect([code, output]).toEqual([
        1,
        expect.stringMatching(
          /^greenroom: No backup was made: .+: the disk is full\. Backups are prepared there: free space, or set BACKUP_TO to another folder\.$/m,
        ),
      ]);
      expect(readdirSync(disk.path)).toEqual([]);
      const doctor = await backup(['doctor'], { to: disk.path, variables: { BACKUP_SCHEDULE: '* * * * *' } });
      expect(doctor.output).toMatch(/^\w+ +backup .+/m);
    } finally {
      disk.remove();
    }
  });

  it('when a proof fails, and older backups stay', async () => {
    const to = join(folder, 'unsound');
    await query('ALTER TABLE audit_event DISABLE TRIGGER USER');
    await query(`UPDATE audit_event SET reason = 'forged' WHERE seq = 2`);
    const variables = { BACKUP_PROOF_DAYS: '0', BACKUP_KEEP: '1d,0w,0m' };
    for (const days of [10, 11]) {
      const { code, output } = await backup(['backup', 'run'], { to, days, variables });
      expect([code, output]).toEqual([
        1,
        expect.stringMatching(/not sound: audit log: Broken at event 2 .+ No older backup was deleted\.$/m),
      ]);
    }
    expect(readdirSync(to)).toHaveLength(2);
    const doctor = await backup(['doctor'], { to, days: 11, variables: { BACKUP_SCHEDULE: '0 3 * * *' } });
    expect(doctor.output).toMatch(/^failed +backup +The last proof failed: audit log: Broken at event 2/m);
  });
});
