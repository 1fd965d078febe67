import type { INestApplicationContext } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { parse, stringify } from 'yaml';
import { AccountsService } from '../../libs/administration/accounts/accounts.service';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import { loadConfig } from '../../libs/config/app-config';
import { digestSecret } from '../../libs/domain/keys/api-key-secret';
import { Launched } from '../launcher/launched';
import { ANA } from '../support/audit-actor';
import { openServices } from '../support/open-services';
import { TemporaryFolder } from '../support/temporary-folder';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { FAULT_OPTIONS, pause, seededRandom } from './fault-options';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';
const [ACCOUNTS, KEYS, KILLS] = FAULT_OPTIONS.isLong ? [10, 50, 20] : [5, 10, 3];
/** Keys of each account that every round replaces; the others change their limit. */
const REPLACED = 3;
const DRIFTED = ACCOUNTS * 2;
const UP_TO_MS = 150;
const ON_A_BUSY_MACHINE_MS = 180_000;
const NAME = 'five hundred';

jest.setTimeout(1_800_000);

let database: TestDatabase;
let services: INestApplicationContext;
let dataSource: DataSource;
let folder: TemporaryFolder;
let close: () => Promise<void>;
let accounts: string[];
const random = seededRandom(FAULT_OPTIONS.seed);

beforeAll(async () => {
  folder = TemporaryFolder.make('greenroom-key-files-');
  database = await createTestDatabase();
  ({ services, close } = await openServices(loadConfig({ DATABASE_URL: database.url, APP_SECRET })));
  dataSource = services.get<DataSource>(getDataSourceToken(), { strict: false });
  accounts = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const account = { name: `Account ${index}`, tier: 'enterprise' } as const;
    accounts.push((await services.get(AccountsService).create(account)).id);
  }
});
afterAll(async () => {
  await close();
  await database.drop();
  folder.remove();
});

const pathOf = (name: string) => join(folder.path, name);
const greenroom = (...args: string[]) =>
  Launched.greenroom(args, { DATABASE_URL: database.url, APP_SECRET, DATA_DIR: folder.path });

/** Runs a command to its end. */
async function run(...args: string[]): Promise<{ code: number | string; output: string }> {
  const command = greenroom(...args);
  const code = await command.ended();
  return { code, output: command.output };
}

/** The keys of an account in a round, by name, with their limits. */
function keysIn(round: number): Map<string, number> {
  const names = Array.from({ length: KEYS }, (_, index) =>
    index < REPLACED ? `round ${round} key ${index}` : `key ${index}`,
  );
  return new Map(names.map((name) => [name, 1_000 + round]));
}

function writeFile(round: number): string {
  const keys = [...keysIn(round)].map(([name, limit]) => ({
    name,
    permissions: 'all',
    enabled: true,
    credit_limit: limit,
  }));
  const content = { version: 1, name: NAME, accounts: accounts.map((account) => ({ account, keys })) };
  writeFileSync(pathOf('keys.yaml'), stringify(content));
  return pathOf('keys.yaml');
}

/** The keys of each account as they are. */
async function readKeys(): Promise<Map<string, Map<string, number>>> {
  const rows = await dataSource.query<{ account: string; name: string; limit: number }[]>(
    `SELECT k.account_id AS account, k.name, b.credit_limit::int AS limit
     FROM api_key k JOIN credit_balance b ON b.subject_id = k.id WHERE k.deleted_at IS NULL`,
  );
  const found = new Map(accounts.map((account) => [account, new Map<string, number>()]));
  for (const { account, name, limit } of rows) found.get(account)!.set(name, limit);
  return found;
}

/** The round whose keys an account has, all of them and no others; fails for a mixture of two. */
function roundOf(keys: Map<string, number>): number | null {
  const [limit] = keys.values();
  if (limit === undefined) return null;
  const round = limit - 1_000;
  expect([...keys].sort()).toEqual([...keysIn(round)].sort());
  return round;
}

/** Every key has a secret that was delivered. A line that is cut off belongs to a process that was killed. */
async function expectSecrets(): Promise<void> {
  const path = pathOf('secrets.jsonl');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const secrets = lines.flatMap((line) => /"secret":"(\w+)"\}$/.exec(line)?.[1] ?? []);
  const delivered = new Set(secrets.map(digestSecret));
  const rows = await dataSource.query<{ digest: string }[]>(
    'SELECT s.digest FROM api_key k JOIN api_key_secret s ON s.key_id = k.id WHERE k.deleted_at IS NULL',
  );
  expect(rows.filter(({ digest }) => !delivered.has(digest))).toEqual([]);
}

it(`leaves every account whole through ${KILLS} times kill -9 of apply, with ${ACCOUNTS * KEYS} keys`, async () => {
  let halfway = 0;
  let killed = 0;
  let stored = new Map(accounts.map((account) => [account, null as number | null]));
  for (let round = 0; round < KILLS; round += 1) {
    const applying = greenroom(
      'apply',
      writeFile(round),
      '--yes',
      '--secrets-to',
      `file:${pathOf('secrets.jsonl')}`,
    );
    const done = Math.floor(random() * ACCOUNTS);
    await applying.printed(done === 0 ? /Plan: / : /Applied to /, Math.max(done, 1), ON_A_BUSY_MACHINE_MS);
    await pause(random() * UP_TO_MS);
    if ((await applying.end('SIGKILL')) === 'SIGKILL') killed += 1;
    const now = new Map([...(await readKeys())].map(([account, keys]) => [account, roundOf(keys)]));
    for (const [account, is] of now) expect([stored.get(account), round]).toContain(is);
    const changed = [...now.values()].filter((is) => is === round).length;
    if (changed > 0 && changed < ACCOUNTS) halfway += 1;
    await expectSecrets();
    stored = now;
  }
  const path = writeFile(KILLS);
  const last = await run('apply', path, '--yes', '--secrets-to', `file:${pathOf('secrets.jsonl')}`);
  expect(last).toMatchObject({ code: 0 });
  expect([...(await readKeys()).values()].map(roundOf)).toEqual(accounts.map(() => KILLS));
  await expectSecrets();
  process.stdout.write(
    `apply of ${ACCOUNTS * KEYS} keys of ${ACCOUNTS} accounts: ${killed} of ${KILLS} killed before their end, ${halfway} of them between two accounts; none was halfway in one\n`,
  );
  expect(killed).toBeGreaterThan(0);
});

it(`exports ${ACCOUNTS * KEYS} keys as a file that changes nothing`, async () => {
  const again = await run('plan', pathOf('keys.yaml'), '--detailed-exitcode');
  const nothing = { code: 0, output: `No changes: everything is as the file says (${ACCOUNTS * KEYS}).\n` };
  expect(again).toEqual(nothing);
  const { output } = await run('export', ...accounts, '--name', NAME);
  const content = parse(output) as { accounts: { keys: { name: string; credit_limit: number }[] }[] };
  for (const { keys } of content.accounts)
    expect(keys.map(({ name, credit_limit: limit }) => [name, limit]).sort()).toEqual(
      [...keysIn(KILLS)].sort(),
    );
  writeFileSync(pathOf('exported.yaml'), output);
  expect(await run('plan', pathOf('exported.yaml'), '--detailed-exitcode')).toEqual(nothing);
});

it('names who has disabled keys, refuses a plan that is older, and of two at once one waits', async () => {
  const path = pathOf('keys.yaml');
  const keys = await dataSource.query<{ id: string }[]>(
    'SELECT id FROM api_key WHERE deleted_at IS NULL ORDER BY id LIMIT $1',
    [DRIFTED + 1],
  );
  const disable = (keyId: string) =>
    services
      .get(ApiKeyChangesService)
      .disable({ actor: ANA, keyId, expected: 'any', reason: 'An incident' }, 'requested_by_customer');
  for (const { id } of keys.slice(0, DRIFTED)) await disable(id);
  const planned = await run('plan', path, '--out', pathOf('keys.plan'), '--detailed-exitcode');
  expect(planned.code).toBe(2);
  const drift = /enabled: false -> true {2}# changed by "ana@staff\.test" at .*: "An incident"/g;
  expect([...planned.output.matchAll(drift)]).toHaveLength(DRIFTED);
  expect(planned.output).toContain(`Plan: ${DRIFTED} to change; ${ACCOUNTS * KEYS - DRIFTED} unchanged.`);

  await disable(keys[DRIFTED]!.id);
  const old = await run('apply', pathOf('keys.plan'), '--yes');
  expect(old).toMatchObject({ code: 1, output: expect.stringContaining('older than what it would change') });
  const countDisabled = async () => {
    const rows = await dataSource.query<object[]>(
      'SELECT FROM api_key WHERE deleted_at IS NULL AND disable_reason IS NOT NULL',
    );
    return rows.length;
  };
  expect(await countDisabled()).toBe(DRIFTED + 1);

  const both = [1, 2].map(() => greenroom('apply', path, '--yes'));
  expect(await Promise.all(both.map((each) => each.ended()))).toEqual([0, 0]);
  expect(await countDisabled()).toBe(0);
  const outputs = both.map(({ output }) => output);
  expect(outputs.filter((output) => output.includes(`Plan: ${DRIFTED + 1} to change`))).toHaveLength(1);
  expect(outputs.filter((output) => output.includes('No changes'))).toHaveLength(1);
});

it('killed with the secrets of an account in its hands leaves that account whole, and the next one completes it', async () => {
  const twoAccounts: string[] = [];
  for (const name of ['Killed', 'Other'])
    twoAccounts.push((await services.get(AccountsService).create({ name, tier: 'enterprise' })).id);
  const keys = Array.from({ length: 20 }, (_, index) => ({ name: `key ${index}`, permissions: 'all' }));
  const path = pathOf('killed.yaml');
  const content = twoAccounts.map((account) => ({ account, keys }));
  writeFileSync(path, stringify({ version: 1, name: 'killed', accounts: content }));
  const countKeys = () =>
    Promise.all(
      twoAccounts.map(async (account) => {
        const sql = 'SELECT FROM api_key WHERE account_id = $1 AND deleted_at IS NULL';
        return (await dataSource.query<object[]>(sql, [account])).length;
      }),
    );
  const planned = await run('plan', path, '--detailed-exitcode');
  expect(planned).toMatchObject({ code: 2, output: expect.stringContaining('Plan: 40 to create') });
  const marker = pathOf('first');
  // Takes the secrets of the first account, and kills the command with those of the second in its hands.
  const destination = `command:cat > /dev/null; if test -e ${marker}; then kill -9 $PPID; fi; touch ${marker}`;
  expect((await run('apply', path, '--secrets-to', destination)).code).toBe('SIGKILL');
  expect(await countKeys()).toEqual([20, 0]);

  const secrets = pathOf('of-killed.jsonl');
  const { code, output } = await run('apply', path, '--secrets-to', `file:${secrets}`);
  expect([code, await countKeys()]).toEqual([0, [20, 20]]);
  const lines = readFileSync(secrets, 'utf8').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { account_id: string }).account_id)).toEqual(
    Array.from({ length: 20 }, () => twoAccounts[1]),
  );
  expect(statSync(secrets).mode & 0o777).toBe(0o600);
  expect(output).not.toContain('grk_');
  const again = { code: 0, output: 'No changes: everything is as the file says (40).\n' };
  expect(await run('plan', path, '--detailed-exitcode')).toEqual(again);
});
