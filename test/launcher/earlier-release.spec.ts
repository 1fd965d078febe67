import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, extract } from 'tar';
import { databaseUrls, readSettings } from '../../src/launcher/postgres-settings';
import { FINGERPRINT, MAKE_EARLIER } from '../support/earlier-release';
import { queryAs } from '../support/query-as';
import { Launched, processesOf } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

let folder: string;
let dataDir: string;

beforeAll(() => {
  folder = makeTemporaryFolder();
  dataDir = join(folder, 'data');
});

afterAll(() => removeFolder(folder));

async function run(args: string[], into = dataDir): Promise<{ code: number | string; output: string }> {
  const command = Launched.greenroom(args, { DATA_DIR: into, PORT: '0' });
  const code = await command.ended();
  return { code, output: command.output };
}

/** Queries the embedded server, which runs for as long as that takes. */
async function query<T>(sql: string): Promise<T[]> {
  const launcher = Launched.start(dataDir);
  await launcher.ready();
  const rows = await queryAs<T>(databaseUrls(readSettings(dataDir)!).owner, sql);
  await launcher.end('SIGTERM');
  return rows;
}

it('a start on the data folder of an earlier release is refused with one sentence, and changes nothing in it', async () => {
  await run(['seed']);
  await query(MAKE_EARLIER);
  const before = await query(FINGERPRINT);
  const { code, output } = await run(['start']);
  expect(output.trimEnd().split('\n').at(-1)).toBe(
    'greenroom: The database cannot be prepared: An earlier release created this database, and nothing in it was changed: carry it over as described under "Data of an earlier release" in docs/operations.md, or set another DATA_DIR or DATABASE_URL to begin with an empty database.',
  );
  expect(output).not.toMatch(/^ +at /m);
  expect(code).toBe(1);
  expect(processesOf(folder)).toEqual([]);
  expect(await query(FINGERPRINT)).toEqual(before);
});

it.each([
  [['migrate'], /^greenroom: An earlier release created this database, .* empty database\.$/m],
  [['doctor'], /^failed +schema +An earlier release created this database, /m],
  [
    ['backup', 'x.tar.gz'],
    /^greenroom: An earlier release created this database: back it up with that release\.$/m,
  ],
])('greenroom %j says so, too', async (args, message) => {
  const { code, output } = await run(args.map((arg) => (arg === 'FILE' ? join(folder, 'x.tar.gz') : arg)));
  expect(output).toMatch(message);
  expect(code).toBe(1);
});

it('a backup of an earlier release is refused, and restores nothing', async () => {
  const fresh = join(folder, 'fresh');
  await run(['seed'], fresh);
  const file = join(folder, 'backup.tar.gz');
  expect(await run(['backup', file], fresh)).toMatchObject({ code: 0 });
  await takeSchemaFrom(file);
  const target = join(folder, 'target');
  const { code, output } = await run(['restore', file], target);
  expect(output).toBe(
    `greenroom: ${file} is a backup of an earlier release, and nothing was restored: restore it with that release, then carry the data over as described under "Data of an earlier release" in docs/operations.md.\n`,
  );
  expect(code).toBe(1);
  expect(readdirSync(target)).toEqual(['launcher.lock']);
});

/** Backups of earlier releases do not say which schema they have. */
async function takeSchemaFrom(file: string): Promise<void> {
  const unpacked = makeTemporaryFolder();
  await extract({ file, cwd: unpacked });
  const manifest = join(unpacked, 'greenroom-backup.json');
  const { schema, ...rest } = JSON.parse(readFileSync(manifest, 'utf8')) as { schema: string };
  expect(schema).toBe('InitialSchema1797325000000');
  writeFileSync(manifest, JSON.stringify(rest));
  rmSync(file);
  await create({ gzip: true, file, cwd: unpacked, portable: true }, ['.']);
  removeFolder(unpacked);
}
