import { loadConfig } from '@app/config/app-config';
import { WebhookSecrets } from '@app/webhooks/webhook-secrets';
import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrls, readSettings } from '../../src/launcher/postgres-settings';
import { queryAs } from '../support/query-as';
import { Launched } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';

let folder: string;
let dataDir: string;
let launcher: Launched | null;

beforeEach(() => {
  folder = makeTemporaryFolder();
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  await launcher?.end('SIGTERM');
  launcher = null;
  removeFolder(folder);
});

type Variables = Parameters<typeof Launched.greenroom>[1];

async function run(
  args: string[],
  variables: Variables = {},
): Promise<{ code: number | string; output: string }> {
  const command = Launched.greenroom(args, { DATA_DIR: dataDir, APP_SECRET: '', ...variables });
  const code = await command.ended();
  return { code, output: command.output };
}

async function start(variables: Variables = {}): Promise<void> {
  launcher = Launched.start(dataDir, { APP_SECRET: '', ...variables });
  await launcher.ready();
}

/** Adds a member of staff, which is an event of the audit log. */
const addStaff = (variables: Variables = {}) =>
  run(['staff', 'add', '--email', `${randomUUID()}@example.com`, '--role', 'support'], variables);

const secretsOf = (env: Record<string, string>) => new WebhookSecrets(loadConfig(env));

const REFUSED = {
  code: 1,
  output: expect.stringMatching(
    /^greenroom: APP_SECRET is not set, and \S+app-secret does not exist\. .+\n$/m,
  ),
};

describe('an installation that runs with APP_SECRET from its environment', () => {
  it('refuses commands without it, and its audit log stays whole', async () => {
    await start({ APP_SECRET });
    expect(await run(['seed'], { APP_SECRET })).toMatchObject({ code: 0 });
    expect(await addStaff()).toEqual(REFUSED);
    expect(await run(['backup', join(folder, 'backup.tar.gz')])).toEqual(REFUSED);
    await launcher!.end('SIGTERM');
    launcher = null;
    expect(await addStaff()).toEqual(REFUSED);
    expect(existsSync(join(dataDir, 'app-secret'))).toBe(false);
    expect(await addStaff({ APP_SECRET })).toMatchObject({ code: 0 });
    expect(await run(['doctor'], { APP_SECRET })).toMatchObject({ code: 0 });
  });
});

it('a secret that was lost is not replaced, by no start and no command', async () => {
  expect(await run(['seed'])).toMatchObject({ code: 0 });
  rmSync(join(dataDir, 'app-secret'));
  expect(await addStaff()).toEqual(REFUSED);
  const refused = Launched.greenroom(['start'], { DATA_DIR: dataDir, PORT: '0', APP_SECRET: '' });
  expect(await refused.ended()).toBe(1);
  expect(refused.output).toMatch(/^greenroom: APP_SECRET is not set, and /m);
  expect(existsSync(join(dataDir, 'app-secret'))).toBe(false);
});

it('a first start that ended before the first event is begun again', async () => {
  await start();
  await launcher!.end('SIGTERM');
  rmSync(join(dataDir, 'app-secret'));
  await start();
  expect(existsSync(join(dataDir, 'app-secret'))).toBe(true);
});

it('with a DATABASE_URL, commands use the secret that the start has generated, and none of another installation', async () => {
  await start();
  const { application, owner } = databaseUrls(readSettings(dataDir)!);
  const urls = { DATABASE_URL: application, MIGRATION_DATABASE_URL: owner };
  const here = { ...urls, DATA_DIR: join(folder, 'here') };
  expect(await run(['seed'], here)).toEqual({
    code: 1,
    output: expect.stringMatching(/^greenroom: APP_SECRET is not set; give the one of this installation/m),
  });
  const own = Launched.start(here.DATA_DIR, { ...here, APP_SECRET: '' });
  await own.ready();
  await own.end('SIGTERM');
  expect(await run(['seed'], here)).toMatchObject({ code: 0 });
  expect(await addStaff(here)).toMatchObject({ code: 0 });
  expect(await run(['doctor'], here)).toMatchObject({ code: 0 });

  const there = { ...urls, DATA_DIR: join(folder, 'there') };
  mkdirSync(there.DATA_DIR);
  copyFileSync(join(dataDir, 'app-secret'), join(there.DATA_DIR, 'app-secret'));
  expect(await addStaff(there)).toEqual({
    code: 1,
    output: expect.stringMatching(/app-secret does not fit the latest events of the audit log: /),
  });
  const secret = readFileSync(join(here.DATA_DIR, 'app-secret'), 'utf8').trim();
  expect(await addStaff({ ...there, APP_SECRET: secret })).toMatchObject({ code: 0 });
  expect(await queryAs(owner, `SELECT FROM audit_event WHERE actor_id = 'cli'`)).toHaveLength(2);
});

it('a secret is replaced: the one before it is accepted for reading, and is not needed once "secret rotate" has run', async () => {
  const NEXT = `${APP_SECRET}-next`;
  const both = { APP_SECRET: NEXT, APP_SECRET_PREVIOUS: APP_SECRET };
  await start({ APP_SECRET });
  expect(await run(['seed'], { APP_SECRET })).toMatchObject({ code: 0 });
  expect(await addStaff({ APP_SECRET })).toMatchObject({ code: 0 });
  const { owner } = databaseUrls(readSettings(dataDir)!);
  const endpointId = randomUUID();
  const { secret, sealedSecret, secretLastFour } = secretsOf({ APP_SECRET }).issue(endpointId);
  await queryAs(
    owner,
    `INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint)
     SELECT '${endpointId}', id, 'w', 'https://example.com/', '{}', '${sealedSecret}', '${secretLastFour}' FROM account LIMIT 1`,
  );
  const storedSecret = async () =>
    (await queryAs<{ sealed: string }>(owner, 'SELECT sealed_secret AS sealed FROM webhook_endpoint'))[0]!
      .sealed;
  await launcher!.end('SIGTERM');

  await start(both);
  expect(await addStaff(both)).toMatchObject({ code: 0 });
  expect(secretsOf(both).open(endpointId, await storedSecret())).toBe(secret);
  expect(await run(['secret', 'rotate'], { APP_SECRET: NEXT })).toEqual({
    code: 1,
    output: expect.stringMatching(/^greenroom: APP_SECRET_PREVIOUS is not set\. /),
  });
  for (let time = 0; time < 2; time += 1)
    expect(await run(['secret', 'rotate'], both)).toEqual({
      code: 0,
      output: expect.stringMatching(/1 webhook secrets, 0 URLs .+\n.+ key [0-9a-f]{8}; .+: [0-9a-f]{8}\.\n/),
    });
  await launcher!.end('SIGTERM');

  await start({ APP_SECRET: NEXT });
  expect(secretsOf({ APP_SECRET: NEXT }).open(endpointId, await storedSecret())).toBe(secret);
  expect(await addStaff({ APP_SECRET: NEXT })).toMatchObject({ code: 0 });
  expect(await run(['doctor'], { APP_SECRET: NEXT })).toMatchObject({ code: 0 });
  const signed = await queryAs(owner, 'SELECT key_id FROM audit_event GROUP BY key_id');
  expect(signed).toHaveLength(2);
});

it('a secret that Greenroom has generated is replaced while it is stopped', async () => {
  await start();
  expect(await run(['seed'])).toMatchObject({ code: 0 });
  expect(await addStaff()).toMatchObject({ code: 0 });
  expect(await run(['secret', 'rotate'])).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^greenroom: Greenroom is running with the secret that it has generated\. /,
    ),
  });
  await launcher!.end('SIGTERM');
  launcher = null;
  const secretIn = (name: string) => readFileSync(join(dataDir, name), 'utf8');
  const before = secretIn('app-secret');
  expect(await run(['secret', 'rotate'])).toMatchObject({ code: 0 });
  expect([secretIn('app-secret') === before, secretIn('app-secret.previous')]).toEqual([false, before]);
  rmSync(join(dataDir, 'app-secret.previous'));
  expect(await addStaff()).toMatchObject({ code: 0 });
  expect(await run(['doctor'])).toMatchObject({ code: 0 });
});

it('a process with another APP_SECRET than the latest events were signed with does not start, and writes none', async () => {
  await start({ APP_SECRET });
  expect(await run(['seed'], { APP_SECRET })).toMatchObject({ code: 0 });
  const { application, owner } = databaseUrls(readSettings(dataDir)!);
  const other = { APP_SECRET: `${APP_SECRET}-2`, DATABASE_URL: application, PORT: '0' };
  const refused = {
    code: 1,
    output: expect.stringMatching(/^greenroom: APP_SECRET does not fit the latest events of the audit log: /),
  };
  for (const args of [['api'], ['worker']]) expect(await run(args, other)).toEqual(refused);
  expect(await addStaff(other)).toEqual(refused);
  expect(await addStaff({ APP_SECRET: other.APP_SECRET })).toEqual(refused);
  // Which says where the log does not fit.
  expect(await run(['doctor'], other)).toMatchObject({
    code: 1,
    output: expect.stringContaining('audit log'),
  });
  await queryAs(
    owner,
    `SET session_replication_role = replica;
     UPDATE audit_event SET reason = 'forged' WHERE id = (SELECT max(id) FROM audit_event)`,
  );
  expect(await addStaff({ APP_SECRET })).toMatchObject({ code: 0 });
  await launcher!.end('SIGTERM');
  launcher = Launched.start(dataDir, { APP_SECRET: other.APP_SECRET });
  expect([await launcher.ended(), launcher.output]).toEqual([
    1,
    expect.stringMatching(/^greenroom: APP_SECRET does not fit the latest events of the audit log: /m),
  ]);
  launcher = null;
});
