import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, extract } from 'tar';
import { INSTALLED, InstalledPostgres } from '../support/installed-postgres';
import { OwnPostgres } from '../support/own-postgres';
import { queryAs } from '../support/query-as';
import { Launched } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';

let folder: string;

beforeAll(() => (folder = makeTemporaryFolder()));
afterAll(() => removeFolder(folder));

/** A command of an installation whose PostgreSQL is not Greenroom's. */
async function greenroom(databaseUrl: string, args: string[], variables: object = {}) {
  const command = Launched.greenroom(args, {
    DATABASE_URL: databaseUrl,
    APP_SECRET,
    DATA_DIR: join(folder, 'data'),
    BACKUP_TO: join(folder, 'backups'),
    BACKUP_PROOF_DAYS: '0',
    TMPDIR: folder,
    ...variables,
  } as object);
  return { code: await command.ended(), output: command.output };
}

/** The same database as another role. */
const as = (username: string, databaseUrl: string) =>
  Object.assign(new URL(databaseUrl), { username, password: 'another-password' }).href;
const application = (databaseUrl: string) => as('greenroom_app', databaseUrl);

/** The same backup as if another release had made it. */
async function repackAs(name: string, release: string): Promise<string> {
  const [backups, content] = [join(folder, 'backups'), join(folder, 'content')];
  const repacked = 'greenroom-20200101T000000Z.tar.gz';
  mkdirSync(content);
  await extract({ file: join(backups, name), cwd: content });
  const file = join(content, 'greenroom-backup.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...manifest, greenroom: release }));
  await create({ gzip: true, file: join(backups, repacked), cwd: content }, ['.']);
  return repacked;
}

/** What is in the folder of backups, leftovers too. */
const present = () => readdirSync(join(folder, 'backups'));

describe('without a pg_dump of its version', () => {
  let postgres: OwnPostgres;

  beforeAll(async () => {
    postgres = await OwnPostgres.start(() => undefined);
  });
  afterAll(() => postgres.stop());

  const accepted =
    /^greenroom: No backup was made: .+: No pg_dump of PostgreSQL 18 or newer is on this machine(.*), and a backup of that server needs one\. Install it where the worker runs \(Debian and Ubuntu: postgresql-client-18, Alpine: postgresql18-client\), or add its folder to the PATH\.$/m;

  it('a database without the schema is refused with what to do first', async () => {
    const { code, output } = await greenroom(postgres.ownerUrl, ['backup', 'run']);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^greenroom: .+ "greenroom migrate" first\.$/m),
    ]);
  });

  it('a backup is refused with what to install, and leaves nothing', async () => {
    const urls = { DATABASE_URL: postgres.url, MIGRATION_DATABASE_URL: postgres.ownerUrl };
    expect(await greenroom(postgres.url, ['migrate'], urls)).toMatchObject({ code: 0 });
    const { code, output } = await greenroom(postgres.ownerUrl, ['backup', 'run']);
    expect([code, output]).toEqual([1, expect.stringMatching(accepted)]);
    expect(accepted.exec(output)![1]).toContain(INSTALLED.length > 0 ? 'pg_dump is of ' : '');
    expect(present()).toEqual([]);
    const doctor = await greenroom(postgres.ownerUrl, ['doctor'], { BACKUP_SCHEDULE: '0 3 * * *' });
    expect(doctor.output).toMatch(/^failed +backup +None has succeeded\. .+postgresql-client-18/m);
  });
});

(INSTALLED.length > 0 ? describe : describe.skip)('with the pg_dump of its version', () => {
  let postgres: InstalledPostgres;
  let url: string;
  let urls: { DATABASE_URL: string; MIGRATION_DATABASE_URL: string };

  beforeAll(async () => {
    rmSync(join(folder, 'backups'), { recursive: true, force: true });
    postgres = await InstalledPostgres.start();
    url = await postgres.create('greenroom');
    urls = { DATABASE_URL: application(url), MIGRATION_DATABASE_URL: url };
    expect(await greenroom(url, ['migrate'], urls)).toMatchObject({ code: 0 });
    expect(await greenroom(url, ['seed'], urls)).toMatchObject({ code: 0 });
  });
  afterAll(() => postgres.stop());

  it('one is made and proved, and restored into an empty database with everything in it', async () => {
    const made = await greenroom(url, ['backup', 'run'], urls);
    expect([made.code, made.output]).toEqual([0, expect.stringMatching(/: proved, restored to a scratch/)]);
    const [name, ...more] = present();
    expect(more).toEqual([]);

    const full = await greenroom(url, ['backup', 'restore', name!], urls);
    expect([full.code, full.output]).toEqual([
      1,
      expect.stringContaining('The database has tables already, and nothing was restored.'),
    ]);

    const unknown = await repackAs(name!, '99.0.0');
    const refused = await greenroom(url, ['backup', 'restore', unknown], urls);
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(
        /is a backup of a later release \(99\.0\.0\), and nothing was restored; this one is .+\. Install that release\.$/m,
      ),
    ]);
    rmSync(join(folder, 'backups', unknown));

    const copy = await postgres.create('copy');
    const toCopy = { DATABASE_URL: application(copy), MIGRATION_DATABASE_URL: copy };
    const restored = await greenroom(copy, ['backup', 'restore', name!], toCopy);
    expect([restored.code, restored.output]).toEqual([
      0,
      expect.stringContaining('Now run "greenroom migrate"'),
    ]);
    expect(await greenroom(copy, ['migrate'], toCopy)).toMatchObject({ code: 0 });
    const doctor = await greenroom(copy, ['doctor'], toCopy);
    for (const check of ['schema', 'rights', 'secret', 'audit log', 'reconciliation', 'ledger'])
      expect(doctor.output).toMatch(new RegExp(`^ok +${check} `, 'm'));
    const count = (of: string) => queryAs(of, 'SELECT count(*) FROM api_key');
    expect(await count(copy)).toEqual(await count(url));
  });

  it('a role that may not read every table is refused with the right that it lacks', async () => {
    await postgres.query(`CREATE ROLE reader LOGIN PASSWORD 'another-password'`);
    const reader = as('reader', url);
    const variables = { ...urls, BACKUP_DATABASE_URL: reader };
    const before = present();
    const { code, output } = await greenroom(url, ['backup', 'run'], variables);
    expect([code, output]).toEqual([1, expect.stringMatching(/permission denied.+GRANT pg_read_all_data/)]);
    expect(output).not.toContain('another-password');
    expect(present()).toEqual(before);
    await postgres.query('GRANT pg_read_all_data TO reader');
    expect(await greenroom(url, ['backup', 'run'], { ...variables, BACKUP_PROOF_DAYS: 'off' })).toMatchObject(
      {
        code: 0,
      },
    );
  });

  it('a pg_dump of another version on the PATH is passed over for that of the server', async () => {
    const path = join(folder, 'path');
    mkdirSync(path);
    symlinkSync('/bin/false', join(path, 'pg_dump'));
    const variables = { ...urls, PATH: `${path}:${process.env.PATH}`, BACKUP_PROOF_DAYS: 'off' };
    expect(await greenroom(url, ['backup', 'run'], variables)).toMatchObject({ code: 0 });
  });

  it('one that is killed while it is dumped leaves none that is half', async () => {
    const before = present();
    const command = Launched.greenroom(['backup', 'run'], {
      ...urls,
      APP_SECRET,
      DATA_DIR: join(folder, 'data'),
      BACKUP_TO: join(folder, 'backups'),
    });
    const timer = setInterval(() => {
      if (present().some((entry) => entry.startsWith('.greenroom'))) command.child.kill('SIGKILL');
    }, 5);
    expect(await command.ended()).toBe('SIGKILL');
    clearInterval(timer);
    expect(present().filter((entry) => entry.startsWith('greenroom-'))).toEqual(before);
    const next = await greenroom(url, ['backup', 'run'], { ...urls, BACKUP_PROOF_DAYS: 'off' });
    expect([next.code, next.output]).toEqual([0, expect.stringContaining(' MB in ')]);
    expect(present().filter((entry) => entry.startsWith('.'))).toEqual([]);
  });
});
