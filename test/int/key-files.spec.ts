import { AccountsService } from '../../libs/administration/accounts/accounts.service';
import { AlertRulesService } from '../../libs/administration/alerts/alert-rules.service';
import { AllowListsService } from '../../libs/administration/allow-lists/allow-lists.service';
import { BudgetsService } from '../../libs/administration/budgets/budgets.service';
import { KEY_FILE_SCHEMA } from '../../libs/administration/key-files/key-file';
import type { KeyFilePlan, NewFileSecret } from '../../libs/administration/key-files/key-file-plan';
import { KeyFileExportService } from '../../libs/administration/key-files/key-file-export.service';
import { KeyFilesService } from '../../libs/administration/key-files/key-files.service';
import { readKeyFile } from '../../libs/administration/key-files/read-key-file';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import { KeyPoliciesService } from '../../libs/administration/keys/key-policies.service';
import { VoiceAliasesService } from '../../libs/administration/voices/voice-aliases.service';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { loadConfig } from '../../libs/config/app-config';
import { ObservedTrafficRepository } from '../../libs/database/traffic/observed-traffic.repository';
import { newPublicId } from '../../libs/domain/common/public-id';
import { digestSecret } from '../../libs/domain/keys/api-key-secret';
import type { INestApplicationContext } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import Ajv2020 from 'ajv/dist/2020';
import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { stringify } from 'yaml';
import { ANA } from '../support/audit-actor';
import { addBudget } from '../support/budgets';
import { openServices } from '../support/open-services';
import { isShort } from '../support/short';
import { NO_RULES } from '../../libs/domain/keys/key-policy';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';
const KEYS = isShort() ? 50 : 500;

let database: TestDatabase;
let services: INestApplicationContext;
let dataSource: DataSource;
let close: () => Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase();
  const config = loadConfig({
    DATABASE_URL: database.url,
    APP_SECRET,
    WEBHOOK_PRIVATE_NETWORKS: 'allow',
  });
  ({ services, close } = await openServices(config));
  dataSource = services.get<DataSource>(getDataSourceToken(), { strict: false });
});

afterAll(async () => {
  await close();
  await database.drop();
});

async function openAccount(name = `Account ${randomUUID()}`): Promise<string> {
  const { id } = await services.get(AccountsService).create({ name, tier: 'enterprise' });
  await dataSource.query('UPDATE account SET ip_allow_list_enabled = true WHERE id = $1', [id]);
  return id;
}

async function insertVoice(accountId: string, name: string): Promise<string> {
  const id = newPublicId(randomBytes);
  await dataSource.query(
    `INSERT INTO voice (id, account_id, name, description, labels, engine, spec, language, content_digest, request_id)
     VALUES ($1, $2, $3, '', '{}', 'flite', '{}', 'en', '', '')`,
    [id, accountId, name],
  );
  return id;
}

const read = (file: object) => readKeyFile(stringify(file), 'keys.yaml');

async function plan(file: object): Promise<KeyFilePlan> {
  return services.get(KeyFilesService).plan(read(file), 'keys.yaml');
}

async function apply(
  file: object,
  { saved = null, confirmed = false }: { saved?: KeyFilePlan | null; confirmed?: boolean } = {},
): Promise<{ plan: KeyFilePlan; secrets: NewFileSecret[] }> {
  const secrets: NewFileSecret[] = [];
  const applied = await services.get(KeyFilesService).apply(read(file), {
    label: 'keys.yaml',
    confirmed,
    reason: null,
    saved,
    deliver: async (delivered) => void secrets.push(...delivered),
    onWait: () => undefined,
    onPlan: () => undefined,
    onApplied: () => undefined,
  });
  return { plan: applied, secrets };
}

const changesOf = ({ accounts }: KeyFilePlan) => accounts.flatMap(({ changes }) => changes);

async function exported(accountId: string) {
  return (await services.get(KeyFileExportService).export('exported', [accountId])).content;
}

function fileOf(account: string, keys: object[], more: object = {}) {
  return { version: 1, name: `file of ${account}`, accounts: [{ account, keys, ...more }] };
}

describe('what is exported', () => {
  const exportAs = async (accounts: string[], name: string | null = null) =>
    (await services.get(KeyFileExportService).export(name, accounts)).content;

  it('has the name that a plan of it accepts: that of the file which manages it', async () => {
    const [managed, free] = [await openAccount(), await openAccount()];
    await apply(fileOf(managed, [{ name: 'a', permissions: 'all' }]));
    const content = await exportAs([managed, free]);
    expect(content.name).toBe(`file of ${managed}`);
    expect(changesOf(await plan(content))).toEqual([]);
    expect((await exportAs([free])).name).toBe('greenroom');
    expect((await exportAs([managed], 'chosen')).name).toBe('chosen');
  });

  it('is of one file only, unless it gets a name', async () => {
    const both = [await openAccount(), await openAccount()];
    for (const account of both) await apply(fileOf(account, [{ name: 'a', permissions: 'all' }]));
    await expect(exportAs(both)).rejects.toThrow('Several files of keys manage what would be exported');
    expect((await exportAs(both, 'merged')).name).toBe('merged');
  });
});

describe('a file of keys', () => {
  it('calls a key by its name however the letters of the file are composed', async () => {
    const account = await openAccount();
    const keyNamed = (name: string) => fileOf(account, [{ name, permissions: 'all' }]);
    await apply(keyNamed('Zo\u00eb'));
    expect(changesOf(await plan(keyNamed('Zoe\u0308')))).toEqual([]);
  });

  it(`creates ${KEYS} keys, after which it changes nothing, and neither does what is exported of them`, async () => {
    const account = await openAccount();
    const keys = Array.from({ length: KEYS }, (_, index) => ({
      name: `key ${index}`,
      permissions: index % 2 === 0 ? 'all' : ['voices_read', 'text_to_speech'],
      credit_limit: index,
      ...(index % 3 === 0 && { allowed_ips: ['192.0.2.7', { address: '10.0.0.0/8', note: 'office' }] }),
      ...(index % 5 === 0 && { expires_at: '2037-01-31' }),
      ...(index % 7 === 0 && { enabled: false }),
    }));
    const file = fileOf(account, keys, {
      webhooks: [{ name: 'ours', url: 'http://127.0.0.1:9/hook', events: ['key.disabled'] }],
    });
    const { secrets } = await apply(file);
    expect(secrets.filter(({ kind }) => kind === 'key')).toHaveLength(KEYS);
    expect(changesOf((await apply(file)).plan)).toEqual([]);

    const content = await exported(account);
    expect(new Ajv2020({ strict: false }).validate(KEY_FILE_SCHEMA, content)).toBe(true);
    const adopted = await plan({ ...content, name: file.name });
    expect(changesOf(adopted)).toEqual([]);

    const [digest] = await dataSource.query<{ digest: string }[]>(
      'SELECT digest FROM api_key_secret WHERE key_id = $1',
      [secrets[0]!.id],
    );
    expect(digestSecret(secrets[0]!.secret)).toBe(digest!.digest);
  });

  it('changes, adopts, renames and deletes, and says so before', async () => {
    const account = await openAccount();
    const created = { permissions: 'all' as const, accountId: account };
    const { keyId } = await services
      .get(ApiKeyChangesService)
      .create(ANA, { ...created, name: 'by hand' }, 'x');
    const { secrets } = await apply(fileOf(account, [{ name: 'a', permissions: 'all', credit_limit: 5 }]));
    const file = fileOf(account, [
      { id: secrets[0]!.id, name: 'a renamed', permissions: ['voices_read'] },
      { name: 'by hand', permissions: 'all' },
    ]);
    const planned = changesOf(await plan(file));
    expect(planned).toMatchObject([
      {
        action: 'update',
        before: { name: 'a', permissions: 'all' },
        after: { name: 'a renamed', permissions: ['voices_read'] },
      },
      { action: 'adopt', id: keyId, after: {} },
    ]);
    await apply(file);
    expect((await exported(account)).accounts[0]!.keys).toMatchObject([
      { name: 'by hand' },
      // What the second file left out is as the first has set it.
      { name: 'a renamed', permissions: ['voices_read'], credit_limit: 5 },
    ]);
    const smaller = fileOf(account, [{ name: 'by hand', permissions: 'all' }]);
    await expect(apply(smaller)).rejects.toThrow('1 change has to be confirmed');
    await apply(smaller, { confirmed: true });
    await apply({ ...smaller, accounts: [] }, { confirmed: true });
    expect((await exported(account)).accounts[0]!.keys).toBeUndefined();
  });

  it('is locked for staff, who can disable it, and shows who has changed it since', async () => {
    const account = await openAccount();
    const file = fileOf(account, [{ name: 'a', permissions: 'all', enabled: true, credit_limit: 7 }]);
    const keyId = (await apply(file)).secrets[0]!.id;
    const keys = services.get(ApiKeyChangesService);
    const target = { actor: ANA, keyId, expected: 'any', reason: 'The customer asked' } as const;
    const refused = expect.objectContaining({ code: 'managed_by_file' });
    await expect(keys.edit(target, { creditLimit: 8 })).rejects.toEqual(refused);
    await expect(keys.delete(target)).rejects.toEqual(refused);
    await expect(
      services
        .get(AllowListsService)
        .replace(
          { ...target, owner: { kind: 'key', id: target.keyId } },
          { list: { text: '192.0.2.1' }, confirmed: true, undoAfterMinutes: null },
        ),
    ).rejects.toEqual(refused);

    await keys.disable(target, 'requested_by_customer');
    const [drifted] = changesOf(await plan(file));
    expect(drifted).toMatchObject({
      before: { enabled: false },
      after: { enabled: true },
      drift: [{ field: 'enabled', by: 'ana@staff.test', reason: 'The customer asked' }],
    });
    await apply(file);
    await keys.disable(target, 'exposed_publicly');
    const stored = await apply(file);
    expect(changesOf(stored.plan)).toEqual([]);
    expect(stored.plan.accounts[0]!.notes[0]).toContain('exposed_publicly');

    await keys.release(target);
    await keys.edit(target, { creditLimit: 8 });
    expect(changesOf(await plan(file))).toMatchObject([{ action: 'adopt', before: { credit_limit: 8 } }]);
  });

  it('shows what a list would have refused, and has to be confirmed then', async () => {
    const account = await openAccount();
    const file = fileOf(account, [{ name: 'a', permissions: 'all' }]);
    const keyId = (await apply(file)).secrets[0]!.id;
    const at = new Date();
    const use = { keyId, accountId: account, address: '203.0.113.9', outcome: 'allowed' as const };
    await services
      .get(ObservedTrafficRepository, { strict: false })
      .addCounts([{ ...use, hour: at, route: 'GET /v1/models', requests: 41, firstAt: at, lastAt: at }]);
    const listed = fileOf(account, [{ name: 'a', permissions: 'all', allowed_ips: ['198.51.100.0/24'] }]);
    expect(changesOf(await plan(listed))[0]!.warnings.join()).toContain(
      'would have refused 41 of the requests',
    );
    await expect(apply(listed)).rejects.toThrow(/ha(s|ve) to be confirmed/);
    await apply(listed, { confirmed: true });
    expect((await exported(account)).accounts[0]!.keys![0]!.allowed_ips).toEqual(['198.51.100.0/24']);
  });

  it('has to be confirmed when a new key would work nearly everywhere', async () => {
    const account = await openAccount();
    const wide = fileOf(account, [
      { name: 'a', permissions: 'all', allowed_ips: ['20.0.0.0/8', '22.0.0.0/8'] },
    ]);
    expect(changesOf(await plan(wide))[0]!.warnings.join()).toContain('very wide together');
    await expect(apply(wide)).rejects.toThrow('1 change has to be confirmed');
    expect((await apply(wide, { confirmed: true })).secrets).toHaveLength(1);
  });

  it('keeps the list of an account, with its dry run, and leaves it alone where none is named', async () => {
    const account = await openAccount();
    const keys = [{ name: 'a', permissions: 'all' }];
    const keyId = (await apply(fileOf(account, keys))).secrets[0]!.id;
    const at = new Date();
    const use = { keyId, accountId: account, address: '203.0.113.9', outcome: 'allowed' as const };
    await services
      .get(ObservedTrafficRepository, { strict: false })
      .addCounts([{ ...use, hour: at, route: 'GET /v1/models', requests: 41, firstAt: at, lastAt: at }]);
    const office = { address: '198.51.100.0/24', note: 'office' };
    const listed = fileOf(account, keys, { allowed_ips: [office] });
    const [change] = changesOf(await plan(listed));
    expect(change).toMatchObject({ kind: 'account', action: 'update', before: { allowed_ips: null } });
    expect(change!.warnings.join()).toContain('would have refused 41 of the requests');
    await expect(apply(listed)).rejects.toThrow(/ha(s|ve) to be confirmed/);
    const broken = fileOf(account, [{ name: 'b', permissions: 'all', service_account: null }], {
      allowed_ips: [office],
    });
    await dataSource.query(`UPDATE account SET ip_allow_list_enabled = false WHERE id = $1`, [account]);
    await expect(plan(broken)).rejects.toThrow(/keys\.yaml:\d+:\d+: accounts\[0\]\.allowed_ips: A new entry/);
    await dataSource.query(`UPDATE account SET ip_allow_list_enabled = true WHERE id = $1`, [account]);
    await apply(listed, { confirmed: true });
    expect(changesOf((await apply(listed)).plan)).toEqual([]);

    const content = await exported(account);
    expect(content.accounts[0]!.allowed_ips).toEqual([office]);
    expect(new Ajv2020({ strict: false }).validate(KEY_FILE_SCHEMA, content)).toBe(true);
    expect(changesOf(await plan({ ...content, name: listed.name }))).toEqual([]);
    expect(changesOf(await plan(fileOf(account, keys)))).toEqual([]);

    const owner = { kind: 'account', id: account } as const;
    await services
      .get(AllowListsService)
      .replace(
        { actor: ANA, owner, expected: 'any', reason: 'By hand' },
        { list: { text: '192.0.2.1' }, confirmed: true, undoAfterMinutes: null },
      );
    expect(changesOf(await plan(listed))[0]!.drift).toMatchObject([
      { field: 'allowed_ips', by: 'ana@staff.test', reason: 'By hand' },
    ]);
    await apply(fileOf(account, keys, { allowed_ips: null }), { confirmed: true });
    expect((await exported(account)).accounts[0]!.allowed_ips).toBeUndefined();
  });

  it('names the keys that work for longer than their policy accepts, with what it does accept', async () => {
    const account = await openAccount();
    const keys = (expires: object) => [{ name: 'a', permissions: 'all', ...expires }];
    await apply(fileOf(account, keys({ expires_at: null })));
    const rules = { ...NO_RULES, maxLifetimeDays: 90 };
    await services
      .get(KeyPoliciesService)
      .save(ANA, { tier: null, accountId: account }, rules, 'Keys end some day');
    const accepts =
      /Expiry of the key "a": (never|2037-01-31T00:00:00\.000Z)\. The policy of the account accepts a time until \d{4}-\d\d-\d\dT[^ ]+Z, 90 days/;
    const stored = await plan(fileOf(account, keys({ expires_at: null })));
    expect([changesOf(stored), stored.accounts[0]!.notes]).toEqual([[], [expect.stringMatching(accepts)]]);

    const late = fileOf(account, keys({ expires_at: '2037-01-31' }));
    const [change] = changesOf(await plan(late));
    expect(change!.warnings).toEqual([expect.stringMatching(accepts)]);
    expect((await plan(late)).accounts[0]!.notes).toEqual([]);
    await expect(apply(late, { confirmed: true })).rejects.toThrow(
      'the policy of the account allows 90 days',
    );
    const added = fileOf(account, [...keys({}), { name: 'new', permissions: 'all', expires_at: null }]);
    expect(changesOf(await plan(added))[0]!.warnings).toEqual([
      expect.stringContaining('Expiry of the key "new": never.'),
    ]);
    const soon = new Date(Date.now() + 80 * 86_400_000).toISOString();
    const short = await plan(fileOf(account, keys({ expires_at: soon })));
    expect([changesOf(short)[0]!.warnings, short.accounts[0]!.notes]).toEqual([[], []]);
  });

  it('shows what permissions and limits would have stopped, and has to be confirmed then', async () => {
    const account = await openAccount();
    const keyId = (await apply(fileOf(account, [{ name: 'a', permissions: 'all' }]))).secrets[0]!.id;
    await dataSource.query(
      `INSERT INTO route_permission (route, permission) VALUES ('DELETE /v1/voices/:voice_id', 'voices_write') ON CONFLICT DO NOTHING`,
    );
    const at = new Date();
    const use = { keyId, accountId: account, address: '203.0.113.9', outcome: 'served' as const };
    await services
      .get(ObservedTrafficRepository, { strict: false })
      .addCounts([
        { ...use, hour: at, route: 'DELETE /v1/voices/:voice_id', requests: 4_100, firstAt: at, lastAt: at },
      ]);
    await dataSource.query(
      `SELECT write_ledger_line($1, $2, NULL, date_trunc('month', now()), 'charge', 500, 'test', 'req_1')`,
      [account, keyId],
    );
    const narrowed = fileOf(account, [
      {
        name: 'a',
        permissions: ['voices_read'],
        credit_limit: 499,
        requests_per_second: 20,
        requests_per_minute: 20,
        requests_per_day: 2_000,
      },
    ]);
    expect(changesOf(await plan(narrowed))[0]!.warnings).toEqual([
      expect.stringMatching(
        /^These permissions would have refused 4100 of 4100 requests of the last 30 days: DELETE \/v1\/voices\/:voice_id \(4100, last .*\)\.$/,
      ),
      expect.stringMatching(/^This credit limit would have stopped the key on 1 of 1 days/),
      expect.stringMatching(/^These requests per second would have refused at least 4060 of 4100 requests/),
      expect.stringMatching(/^These requests per minute would have refused at least 4060 of 4100 requests/),
      expect.stringMatching(/^These requests per day would have refused at least 100 of 4100 requests/),
    ]);
    await expect(apply(narrowed)).rejects.toThrow(/ha(s|ve) to be confirmed/);
    const wider = fileOf(account, [{ name: 'a', permissions: ['voices_write'], credit_limit: 500 }]);
    expect(changesOf(await plan(wider))[0]!.warnings).toEqual([]);
  });

  it('keeps the alert rules of an account, of keys that it creates as well, and leaves them alone without a list', async () => {
    const account = await openAccount();
    const keys = [{ name: 'a', permissions: 'all' }];
    const rules = [
      { kind: 'credits_used', threshold: 50, channels: ['webhook', 'email'] },
      { kind: 'key_idle', threshold: 30, key: 'a', channels: ['email'], enabled: false },
      { kind: 'list_refused', channels: ['chat'] },
    ];
    const file = fileOf(account, keys, { alert_rules: rules });
    const { secrets } = await apply(file);
    expect(changesOf((await apply(file)).plan)).toEqual([]);
    const content = await exported(account);
    expect(content.accounts[0]!.alert_rules).toEqual([
      { kind: 'credits_used', threshold: 50, channels: ['email', 'webhook'], enabled: true },
      { kind: 'key_idle', threshold: 30, key: secrets[0]!.id, channels: ['email'], enabled: false },
      { kind: 'list_refused', channels: ['chat'], enabled: true },
    ]);
    expect(new Ajv2020({ strict: false }).validate(KEY_FILE_SCHEMA, content)).toBe(true);
    expect(changesOf(await plan({ ...content, name: file.name }))).toEqual([]);
    expect(changesOf(await plan(fileOf(account, keys)))).toEqual([]);

    const rulesService = services.get(AlertRulesService);
    const [rule] = await rulesService.list(account);
    const target = {
      actor: ANA,
      accountId: account,
      ruleId: rule!.id,
      expected: 'any',
      reason: 'Too loud',
    } as const;
    await rulesService.edit(target, { channels: ['email'] });
    const fewer = fileOf(account, keys, { alert_rules: rules.slice(0, 2) });
    expect(changesOf(await plan(fewer))).toMatchObject([
      {
        kind: 'rule',
        action: 'update',
        name: 'credits_used at 50',
        before: { channels: ['email'] },
        after: { channels: ['email', 'webhook'] },
        drift: [{ field: 'channels', by: 'ana@staff.test', reason: 'Too loud' }],
      },
      { kind: 'rule', action: 'delete', name: 'list_refused' },
    ]);
    await expect(apply(fewer)).rejects.toThrow('1 change has to be confirmed');
    await apply(fewer, { confirmed: true });
    expect(await rulesService.list(account)).toHaveLength(2);

    const mistake = (input: object[]) =>
      plan(fileOf(account, keys, { alert_rules: input })).then(
        JSON.stringify,
        ({ message }: Error) => message,
      );
    expect(await mistake([{ ...rules[0], threshold: 101 }])).toMatch(
      /^keys\.yaml:\d+:\d+: accounts\[0\]\.alert_rules\[0\]\.threshold: Input should be a number of percent from 1 to 100\.$/,
    );
    expect(await mistake([{ ...rules[1], key: 'b' }])).toContain('(given: "b"; accepted: "a")');
    expect(await mistake([{ kind: 'dead_letters', threshold: 1, channels: [] }])).toContain(
      'about the installation',
    );
    expect(await mistake([rules[2]!, rules[2]!])).toContain(
      'The same kind with the same threshold stands at [0]',
    );
    expect(await mistake([{ kind: 'rumour', channels: [] }])).toContain("'credits_used'");
  });

  it('keeps the budgets of an account, of keys that it creates as well, and leaves them alone without a list', async () => {
    const account = await openAccount();
    const keys = [{ name: 'a', permissions: 'all', tags: ['team'] }];
    const budgets = [
      { name: 'All', amount: 5_000, window: 'billing_period' },
      { name: 'Key', amount: 100, window: 'day', key: 'a' },
      { name: 'Team', amount: 900, window: 'week', time_zone: 'Europe/Berlin', tag: 'team' },
      { name: 'User', amount: 7, window: 'day', subject: 'end_user', operations: ['design', 'speak'] },
    ];
    const fileWith = (input: object[]) => fileOf(account, keys, { budgets: input });
    const { secrets } = await apply(fileWith(budgets));
    expect(secrets).toHaveLength(1);
    expect(changesOf(await plan(fileWith(budgets)))).toEqual([]);
    expect(changesOf(await plan(fileOf(account, keys)))).toEqual([]);
    const content = await exported(account);
    const [all, ofKey, ...others] = budgets;
    expect(content.accounts[0]!.budgets).toEqual([all, { ...ofKey, key: secrets[0]!.id }, ...others]);
    expect(new Ajv2020({ strict: false }).validate(KEY_FILE_SCHEMA, content)).toBe(true);
    expect(changesOf(await plan({ ...content, name: fileWith([]).name }))).toEqual([]);

    const service = services.get(BudgetsService);
    const [stored] = await service.list(account);
    const target = { actor: ANA, accountId: account, expected: 'any', reason: 'Too little' } as const;
    await service.edit({ ...target, budgetId: stored!.id }, { amount: 6_000 });
    const fewer = fileWith(budgets.slice(0, 2));
    expect(changesOf(await plan(fewer))).toMatchObject([
      {
        kind: 'budget',
        action: 'update',
        name: 'All',
        before: { amount: 6_000 },
        after: { amount: 5_000 },
        drift: [{ field: 'amount', by: 'ana@staff.test', reason: 'Too little' }],
      },
      { kind: 'budget', action: 'delete', name: 'Team' },
      { kind: 'budget', action: 'delete', name: 'User' },
    ]);
    await expect(apply(fewer)).rejects.toThrow('2 changes have to be confirmed');
    await apply(fewer, { confirmed: true });
    expect((await service.list(account)).map(({ name, amount }) => [name, amount])).toEqual([
      ['All', 5_000],
      ['Key', 100],
    ]);
  });

  it('leaves a budget of a key that is not in the file alone', async () => {
    const account = await openAccount();
    const [{ id }] = (await apply(fileOf(account, [{ name: 'a', permissions: 'all' }]))).secrets as [
      NewFileSecret,
    ];
    await addBudget(dataSource, account, { amount: 5, keyId: id, name: 'Of the key' });
    await addBudget(dataSource, account, { amount: 5, name: 'Of the account' });
    const other = { version: 1, name: 'another', accounts: [{ account, keys: [], budgets: [] }] };
    expect(changesOf(await plan(other))).toMatchObject([{ action: 'delete', name: 'Of the account' }]);
  });

  it('says what a budget would have refused before it is added or lowered', async () => {
    const account = await openAccount();
    const keys = [{ name: 'a', permissions: 'all' }];
    const { secrets } = await apply(fileOf(account, keys));
    const charge = { keyId: secrets[0]!.id, accountId: account, cost: 60, operation: 'test' };
    for (const requestId of [randomUUID(), randomUUID()])
      await services.get(CreditLedger).charge({ ...charge, requestId });
    const warningsOf = async (budget: object) => {
      const file = fileOf(account, keys, { budgets: [{ name: 'Daily', window: 'month', ...budget }] });
      return changesOf(await plan(file)).flatMap(({ warnings }) => warnings);
    };
    const warning = ['It would have refused 1 of 2 requests in 30 days.'];
    expect(await warningsOf({ amount: 100 })).toEqual(warning);
    expect(await warningsOf({ amount: 100, key: 'a' })).toEqual(warning);
    expect(await warningsOf({ amount: 120 })).toEqual([]);
    await addBudget(dataSource, account, { name: 'Daily', amount: 500, window: 'month' });
    expect(await warningsOf({ amount: 119 })).toEqual(warning);
  });

  it.each([
    [[{ window: 'year' }], /budgets\[0\]\.window: Input should be 'day'.* \(given: "year"\)/],
    [[{ amount: 0 }], /budgets\[0\]\.amount: .* \(given: 0\)/],
    [[{ time_zone: 'Mars/Olympus' }], /budgets\[0\]\.time_zone: .* \(given: "Mars\/Olympus"\)/],
    [[{ key: 'b' }], /budgets\[0\]\.key: No key .*\(given: "b"; accepted: "a"\)/],
    [[{ key: 'a', tag: 'team' }], /budgets\[0\]\.tag: A budget is for a key or for a tag.*\(given: "team"\)/],
    [
      [{ subject: 'end_user', tag: 'team' }],
      /\[0\]\.subject: A budget is for each end user.*\(given: "team"\)/,
    ],
    [[{ subject: 'tag' }], /budgets\[0\]\.subject: .*'end_user'.* \(given: "tag"\)/],
    [[{ operations: [] }], /budgets\[0\]\.operations: List should have at least 1 item/],
    [
      [{ name: 'Stored', operations: ['speak'] }],
      /There is a budget with this name and operations "none"\. That does not change/,
    ],
    [[{}, {}], /budgets\[1\]\.name: The same name stands at \[0\]/],
    [[{ tag: 'unused' }], /^keys\.yaml:\d+:\d+: tag: Input should be a tag .* \(given: "unused"\)\. Nothing/],
    [
      [{ window: 'billing_period', time_zone: 'Europe/Berlin' }],
      /^keys\.yaml:\d+:\d+: time_zone: Input should be UTC .* \(given: "Europe\/Berlin"\)\. Nothing/,
    ],
    [
      [{ name: 'Stored', window: 'week' }],
      /budgets\[0\]: There is a budget with this name and window "day"\. That does not change/,
    ],
  ] as [object[], RegExp][])('refuses budgets of %j', async (budgets, expected) => {
    const account = await openAccount();
    await addBudget(dataSource, account, { name: 'Stored', amount: 5 });
    const input = budgets.map((budget) => ({ name: 'One', amount: 5, window: 'day', ...budget }));
    const file = fileOf(account, [{ name: 'a', permissions: 'all' }], { budgets: input });
    await expect(apply(file, { confirmed: true })).rejects.toThrow(expected);
  });

  it('gives voices aliases, moves them, and leaves them alone where it does not list voices', async () => {
    const account = await openAccount();
    const [one, other] = [await insertVoice(account, 'One'), await insertVoice(account, 'Other')];
    const [alias, second] = ['21m00Tcm4TlvDq8ikWAM', 'EXAVITQu4vr4xnSDxMaL'];
    const fileWith = (voices: object[]) => fileOf(account, [], { voices });
    await apply(fileWith([{ id: one, aliases: [second, alias] }]));
    expect(changesOf(await plan(fileWith([{ id: one, aliases: [alias, second] }])))).toEqual([]);
    expect(changesOf(await plan(fileOf(account, [])))).toEqual([]);
    const content = await exported(account);
    expect(content.accounts[0]!.voices).toEqual([{ id: one, aliases: [alias, second] }]);
    expect(new Ajv2020({ strict: false }).validate(KEY_FILE_SCHEMA, content)).toBe(true);
    const target = { actor: ANA, voiceId: one, expected: 'any', reason: 'No longer used' } as const;
    await services.get(VoiceAliasesService).set(target, [alias]);
    const moved = fileWith([{ id: other, aliases: [alias] }]);
    expect(changesOf(await plan(moved))).toMatchObject([
      {
        kind: 'voice',
        id: one,
        before: { aliases: [alias] },
        after: { aliases: [] },
        drift: [{ field: 'aliases', by: 'ana@staff.test', reason: 'No longer used' }],
      },
      { kind: 'voice', id: other, after: { aliases: [alias] } },
    ]);
    await apply(moved);
    expect((await exported(account)).accounts[0]!.voices).toEqual([{ id: other, aliases: [alias] }]);
    const mistake = (voices: object[]) =>
      apply(fileWith(voices)).then(JSON.stringify, ({ message }: Error) => message);
    const unknown = 'x'.repeat(20);
    expect(await mistake([{ id: unknown, aliases: [] }])).toContain('The account has no voice "xxxx');
    expect(await mistake([{ id: one, aliases: ['rachel'] }])).toContain('20 letters and digits');
    expect(await mistake([{ id: one, aliases: [other] }])).toMatch(
      /^keys\.yaml:\d+:\d+: .*is the id of a voice/,
    );
    const twice = [one, other].map((id) => ({ id, aliases: [alias] }));
    expect(await mistake(twice)).toContain('The same alias stands at [0]');
  });

  it('refuses a plan that is older than what it would change, and applies one that is not', async () => {
    const account = await openAccount();
    const name = `file of ${account}`;
    await apply(fileOf(account, [{ name: 'a', permissions: 'all' }]));
    const requested = fileOf(account, [{ name: 'a', permissions: 'all', credit_limit: 9 }]);
    const saved = await plan(requested);
    const keyId = changesOf(saved)[0]!.id!;
    const target = { actor: ANA, keyId, expected: 'any', reason: 'x' } as const;
    await services.get(ApiKeyChangesService).rotate(target, 1);
    await expect(apply(requested, { saved })).rejects.toThrow(/older than what it would change.*key/);
    expect((await exported(account)).accounts[0]!.keys![0]!.credit_limit).toBeNull();
    await apply(requested, { saved: await plan(requested) });
    expect((await exported(account)).accounts[0]!.keys![0]!.credit_limit).toBe(9);
    expect(await services.get(KeyFilesService).release(name, null, 'No longer as code')).toBe(1);
  });

  it('counts before it parses', () => {
    const accounts = Array.from({ length: 100_000 }, (_, place) => `  - account: a${place}\n    keys: []\n`);
    const text = `version: 1\nname: x\naccounts:\n${accounts.join('')}`;
    const before = process.cpuUsage();
    expect(() => readKeyFile(text, 'keys.yaml')).toThrow('names about 100001 accounts');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  it('with one mistake changes nothing, and names the line, the field and what is accepted', async () => {
    const account = await openAccount();
    const other = fileOf(account, [{ name: 'theirs', permissions: 'all' }]);
    await apply({ ...other, name: `not the file of ${account}` });
    const mistake = (content: object) => plan(content).then(JSON.stringify, ({ message }: Error) => message);
    const key = { name: 'a', permissions: 'all' };
    expect(await mistake(fileOf(account, [key, { ...key, name: 'b', credit_limit: 'many' }]))).toBe(
      'keys.yaml:10:9: accounts[0].keys[1].credit_limit: Input should be a valid integer (given: "many").',
    );
    expect(await mistake(fileOf(account, [{ ...key, limit: 3 }]))).toMatch(
      /keys.yaml:8:9: .*limit: There is no such field here. Accepted: id, name, service_account, permissions/,
    );
    expect(await mistake(fileOf(account, [{ name: 'a', permissions: ['voices-read'] }]))).toMatch(
      /keys.yaml:8:1[13]: .*"voices-read" is not a permission. Did you mean "voices_read"/,
    );
    expect(await mistake(fileOf(account, [{ ...key, allowed_ips: ['10.0.0.5/8'] }]))).toContain(
      'Write 10.0.0.0/8',
    );
    expect(await mistake(fileOf(account, [key, key]))).toContain('The same name stands at [0]');
    expect(await mistake(fileOf('Nobody', [key]))).toContain(
      'keys.yaml:4:5: accounts[0].account: There is no',
    );
    expect(await mistake(fileOf(account, [{ ...key, name: 'theirs' }]))).toContain('another file of keys');
    expect(await mistake(fileOf(account, [{ ...key, service_account: 'x' }]))).toContain(
      'accepted: there is none',
    );
    expect(await mistake(fileOf(account, [{ ...key, expires_at: '2001-01-01' }]))).toContain(
      'The time has passed',
    );
    expect(() => readKeyFile('version: 1\nname: x\nname: y\n', 'keys.yaml')).toThrow('keys.yaml:3:1');
    expect(() => readKeyFile('a: &a [*a]', 'keys.yaml')).toThrow('keys.yaml');
    expect((await exported(account)).accounts[0]!.keys).toHaveLength(1);
  });
});
