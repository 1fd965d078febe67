import { AllowListsService } from '../../libs/administration/allow-lists/allow-lists.service';
import { CreditBalances } from '../../libs/credits/credit-balances';
import { AccountsService } from '../../libs/administration/accounts/accounts.service';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import { BulkChangesService } from '../../libs/administration/keys/bulk-changes.service';
import { BulkUndoService } from '../../libs/administration/keys/bulk-undo.service';
import { IdleKeysService } from '../../libs/administration/keys/idle-keys.service';
import { KeyPoliciesService } from '../../libs/administration/keys/key-policies.service';
import { KeySafetyWatchService } from '../../libs/administration/key-safety/key-safety-watch.service';
import { loadConfig } from '../../libs/config/app-config';
import { AlertWatchRepository } from '../../libs/database/alerts/alert-watch.repository';
import { ApiKeyRepository } from '../../libs/database/keys/api-key.repository';
import type { Tier } from '../../libs/domain/accounts/tiers';
import { DAY_MS } from '../../libs/domain/common/utc-days';
import { NO_RULES, type KeyPolicyRules } from '../../libs/domain/keys/key-policy';
import type { INestApplicationContext } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { ANA } from '../support/audit-actor';
import { openServices } from '../support/open-services';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const REASON = 'A test';

let database: TestDatabase;
let services: INestApplicationContext;
let dataSource: DataSource;
let close: () => Promise<void>;
let keys: ApiKeyChangesService;
let policies: KeyPoliciesService;

beforeAll(async () => {
  database = await createTestDatabase();
  const config = loadConfig({
    DATABASE_URL: database.url,
    APP_SECRET: 'a-secret-that-only-the-tests-of-greenroom-use',
  });
  ({ services, close } = await openServices(config));
  dataSource = services.get<DataSource>(getDataSourceToken(), { strict: false });
  keys = services.get(ApiKeyChangesService);
  policies = services.get(KeyPoliciesService);
});
afterAll(async () => {
  await close();
  await database.drop();
});

async function openAccount(tier: Tier, rules?: Partial<KeyPolicyRules>): Promise<string> {
  const { id } = await services.get(AccountsService).create({ name: `Account ${randomUUID()}`, tier });
  if (rules) await policies.save(ANA, { tier: null, accountId: id }, { ...NO_RULES, ...rules }, REASON);
  return id;
}

/** A key as it was created `days` ago, and last used so long ago. */
async function addKey(
  accountId: string,
  {
    name = 'key',
    age = 0,
    expiresAt = null,
    unused,
  }: { name?: string; age?: number; expiresAt?: Date | null; unused?: number } = {},
): Promise<string> {
  const { keyId } = await dataSource.transaction(async (em) => {
    const issued = await keys.creating(ANA, { accountId, name, permissions: 'all' }, REASON)(em);
    return issued.result;
  });
  await dataSource.query(
    `UPDATE api_key SET created_at = now() - $2 * interval '1 day', expires_at = $3 WHERE id = $1`,
    [keyId, age, expiresAt],
  );
  await dataSource.query(
    `UPDATE api_key_secret SET created_at = now() - $2 * interval '1 day' WHERE key_id = $1`,
    [keyId, age],
  );
  if (unused !== undefined)
    await dataSource.query(
      `UPDATE api_key_use SET last_used_at = now() - $2 * interval '1 day' WHERE key_id = $1`,
      [keyId, unused],
    );
  return keyId;
}

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const target = (keyId: string) => ({ actor: ANA, keyId, expected: 'any' as const, reason: REASON });
const stateOf = async (keyId: string) =>
  (await services.get(ApiKeyRepository, { strict: false }).find(keyId))!;

async function expiryIn(keyId: string): Promise<number | null> {
  const { expiresAt } = await stateOf(keyId);
  return expiresAt && Math.round((expiresAt.getTime() - Date.now()) / DAY_MS);
}

describe('what keys have', () => {
  const LIST = ['203.0.113.0/24'];

  it('has a most for new keys and edits; a key keeps what it has, as a finding', async () => {
    const accountId = await openAccount('pro');
    const free = await addKey(accountId, { name: 'free' });
    await policies.save(
      ANA,
      { tier: null, accountId },
      { ...NO_RULES, permissions: ['models_read', 'voices_read'] },
      REASON,
    );
    const input = { accountId, name: 'new' };
    await expect(keys.create(ANA, { ...input, permissions: 'all' }, REASON)).rejects.toThrow(
      /^permissions: Input should be some of .*the policy of the account does not accept 'all'$/,
    );
    await expect(
      keys.create(ANA, { ...input, permissions: ['models_read', 'text_to_speech'] }, REASON),
    ).rejects.toThrow('does not accept text_to_speech');
    const { keyId } = await keys.create(ANA, { ...input, permissions: ['models_read'] }, REASON);
    await expect(keys.edit(target(keyId), { permissions: 'all' })).rejects.toThrow(`does not accept 'all'`);
    await keys.edit(target(keyId), { permissions: ['voices_read'] });
    await keys.edit(target(free), { name: 'still free' });
    expect((await stateOf(free)).permissions).toBeNull();
    expect(await findingsOf(free)).toContain('permissions_exceeded');
    expect(await findingsOf(keyId)).not.toContain('permissions_exceeded');
    const dryRun = await policies.dryRun(
      { tier: null, accountId },
      { ...NO_RULES, permissions: ['models_read'], allowListRequired: true },
      1,
    );
    expect(dryRun).toMatchObject({ keys: 2, moreAllowed: 2, withoutList: 2 });
  });

  it('includes an allow-list where one is required: of new keys, and it cannot be removed', async () => {
    const accountId = await openAccount('enterprise', { allowListRequired: true });
    await dataSource.query('UPDATE account SET ip_allow_list_enabled = true WHERE id = $1', [accountId]);
    const input = { accountId, name: 'listed', permissions: 'all' } as const;
    await expect(keys.create(ANA, input, REASON)).rejects.toThrow(
      'allowed_ips: Input should be a list of addresses: the policy of the account requires an allow-list of each key',
    );
    const { keyId } = await keys.create(ANA, { ...input, allowedIps: LIST }, REASON);
    const lists = services.get(AllowListsService, { strict: false });
    const removal = { list: { entries: null }, undoAfterMinutes: null, confirmed: true };
    const list = {
      actor: ANA,
      owner: { kind: 'key' as const, id: keyId },
      expected: 'any' as const,
      reason: REASON,
    };
    await expect(lists.replace(list, removal)).rejects.toThrow('requires an allow-list of each key');
    expect((await stateOf(keyId)).allowedIps).toEqual(LIST);
    await policies.save(ANA, { tier: null, accountId }, NO_RULES, REASON);
    await lists.replace(list, removal);
    await policies.save(ANA, { tier: null, accountId }, { ...NO_RULES, allowListRequired: true }, REASON);
    expect(await findingsOf(keyId)).toContain('allow_list_missing');
  });

  it('begins with what the policy says, where a new key comes without', async () => {
    const accountId = await openAccount('pro', {
      newKeyDays: 30,
      newKeyCreditLimit: 5_000,
      newKeyRequestsPerMinute: 60,
      newKeyConcurrencyLimit: 2,
    });
    const input = { accountId, name: 'new', permissions: 'all' } as const;
    const { keyId } = await keys.create(ANA, input, REASON);
    expect(await stateOf(keyId)).toMatchObject({ requestsPerMinute: 60, concurrencyLimit: 2 });
    expect(await expiryIn(keyId)).toBe(30);
    const limitOf = async (id: string) =>
      services.get(CreditBalances, { strict: false }).findLimit(id, dataSource.manager);
    expect(await limitOf(keyId)).toBe(5_000);
    const { keyId: own } = await keys.create(
      ANA,
      { ...input, name: 'own', expiresAt: null, creditLimit: null, requestsPerMinute: 7 },
      REASON,
    );
    expect(await stateOf(own)).toMatchObject({ requestsPerMinute: 7, concurrencyLimit: 2, expiresAt: null });
    expect(await limitOf(own)).toBeNull();
  });
});

async function findingsOf(keyId: string): Promise<string[]> {
  const watch = services.get(KeySafetyWatchService, { strict: false });
  while (await watch.check());
  const found = await dataSource.query<{ kind: string }[]>('SELECT kind FROM key_finding WHERE key_id = $1', [
    keyId,
  ]);
  return found.map(({ kind }) => kind);
}

describe('a lifetime', () => {
  it('bounds new keys and edits of an account, and names the limit', async () => {
    const accountId = await openAccount('pro', { maxLifetimeDays: 90 });
    const input = { accountId, name: 'new', permissions: 'all' } as const;
    for (const expiresAt of [null, inDays(91)])
      await expect(keys.create(ANA, { ...input, expiresAt }, REASON)).rejects.toThrow(
        /^expires_at: Input should be a time until \d{4}-.* the policy of the account allows 90 days/,
      );
    const { keyId } = await keys.create(ANA, input, REASON);
    expect(await expiryIn(keyId)).toBe(90);
    await keys.edit(target(keyId), { expiresAt: inDays(10) });
    for (const expiresAt of [null, inDays(91)])
      await expect(keys.edit(target(keyId), { expiresAt })).rejects.toThrow('allows 90 days');
    await keys.edit(target(keyId), { expiresAt: inDays(89) });
    expect(await expiryIn(keyId)).toBe(89);
  });

  it('leaves what it finds, but for a later expiry and for a rotation', async () => {
    const accountId = await openAccount('pro', { maxLifetimeDays: 90 });
    const keyId = await addKey(accountId, { age: 50 });
    await keys.edit(target(keyId), { name: 'renamed', expiresAt: null });
    await expect(keys.rotate(target(keyId), 1)).rejects.toThrow(
      /^The key does not expire, and the policy of the account allows 90 days from a new secret on\. Set expires_at to .* first\.$/,
    );
    await expect(keys.edit(target(keyId), { expiresAt: inDays(60) })).rejects.toThrow('allows 90 days');
    await keys.edit(target(keyId), { expiresAt: inDays(30) });
    await keys.rotate(target(keyId), 1);
    await keys.edit(target(keyId), { expiresAt: inDays(60) });
    expect(await expiryIn(keyId)).toBe(60);
  });

  it('of an account replaces that of its tier, even by none', async () => {
    await policies.save(
      ANA,
      { tier: 'starter', accountId: null },
      { ...NO_RULES, maxLifetimeDays: 30 },
      REASON,
    );
    const [inherits, free] = [
      await openAccount('starter'),
      await openAccount('starter', { rotationAgeDays: 9 }),
    ];
    const create = (accountId: string) =>
      keys.create(ANA, { accountId, name: 'new', permissions: 'all', expiresAt: inDays(31) }, REASON);
    await expect(create(inherits)).rejects.toThrow('the policy of the tier starter allows 30 days');
    await create(free);
    expect((await policies.findHolding(inherits))?.tier).toBe('starter');
    await policies.remove(ANA, { tier: null, accountId: free }, REASON);
    await expect(create(free)).rejects.toThrow('tier starter');
  });

  it('is tried, then applied to as many keys as were confirmed, and each gets its expiry back', async () => {
    const accountId = await openAccount('scale');
    const old = await addKey(accountId, { name: 'old', age: 400 });
    const young = await addKey(accountId, { name: 'young', age: 10 });
    const late = await addKey(accountId, { name: 'late', age: 10, expiresAt: inDays(300) });
    const soon = await addKey(accountId, { name: 'soon', age: 400, expiresAt: inDays(5) });
    const filed = await addKey(accountId, { name: 'filed', age: 400 });
    await dataSource.query(`UPDATE api_key SET managed_by = 'a file' WHERE id = $1`, [filed]);
    const scope = { tier: null, accountId } as const;
    const rules = { ...NO_RULES, maxLifetimeDays: 90, rotationAgeDays: 365 };
    const dryRun = await policies.dryRun(scope, rules, 30);
    expect(dryRun).toMatchObject({ keys: 5, shortened: 3, olderAlready: 1, managed: 1, rotationDue: 3 });
    expect(dryRun.first[0]!.id).toBe(old);
    expect(dryRun.first.map(({ id }) => id).sort()).toEqual([old, young, late].sort());
    expect(await policies.findHolding(accountId)).toBeNull();

    const requested = { expected: 'any', graceDays: 30, dueAt: null, reason: REASON } as const;
    await expect(policies.apply(ANA, scope, { ...requested, confirm: '3' })).rejects.toThrow(
      'There is no key policy',
    );
    await policies.save(ANA, scope, rules, REASON);
    await expect(policies.apply(ANA, scope, { ...requested, confirm: '4' })).rejects.toThrow('3 match now');
    const { shortened, changeId } = await policies.apply(ANA, scope, {
      ...requested,
      confirm: '3',
      dueAt: inDays(-1),
    });
    expect(shortened).toBe(3);
    const expiries = () => Promise.all([old, young, late, soon, filed].map(expiryIn));
    expect(await expiries()).toEqual([30, 80, 80, 5, null]);
    expect((await policies.dryRun(scope, rules, 30)).shortened).toBe(0);
    await services.get(BulkUndoService, { strict: false }).undoIfDue(ANA, changeId!);
    expect(await expiries()).toEqual([null, null, 300, 5, null]);
    const [event] = await dataSource.query<{ after: { key_ids: string[] } }[]>(
      `SELECT after FROM audit_event WHERE action = 'keys.expiry_shortened' AND account_id = $1`,
      [accountId],
    );
    expect(event!.after.key_ids.toSorted()).toEqual([old, young, late].sort());
  });

  it('is found exceeded, and so is a rotation age, about which people are told once', async () => {
    const accountId = await openAccount('pro', { maxLifetimeDays: 90, rotationAgeDays: 60 });
    const keyId = await addKey(accountId, { age: 50 });
    await addKey(accountId, { name: 'young', age: 10, expiresAt: inDays(20) });
    const watch = services.get(KeySafetyWatchService, { strict: false });
    while (await watch.check());
    const found = await dataSource.query<{ kind: string }[]>(
      `SELECT kind FROM key_finding WHERE key_id = $1 AND kind IN ('lifetime_exceeded', 'old_secret')`,
      [keyId],
    );
    expect(found).toEqual([{ kind: 'lifetime_exceeded' }]);
    await addContact(accountId);
    const alerts = services.get(AlertWatchRepository, { strict: false });
    const noticed = await alerts.listDueRotations(dataSource.manager);
    expect(noticed.map(({ keyId: id }) => id)).toEqual([keyId]);
  });

  it('refuses to disable idle keys without a warning', async () => {
    const accountId = await openAccount('pro');
    const save = policies.save(ANA, { tier: null, accountId }, { ...NO_RULES, idleDisableDays: 5 }, REASON);
    await expect(save).rejects.toThrow(
      'idle_disable_days: Input should be null, or come with idle_warn_days',
    );
  });
});

async function addContact(accountId: string): Promise<void> {
  await dataSource.query(
    `INSERT INTO contact (id, account_id, name, channel, email, categories) VALUES ($1, $2, 'Ana', 'email', 'ana@example.com', '{keys}')`,
    [randomUUID(), accountId],
  );
}

it('an expiry for many keys leaves those alone for which their policy does not allow it', async () => {
  const accountId = await openAccount('pro', { maxLifetimeDays: 90 });
  const [young, old] = [await addKey(accountId, { age: 10 }), await addKey(accountId, { age: 50 })];
  const bulk = services.get(BulkChangesService, { strict: false });
  const edit = { action: 'set_expiry', value: inDays(60).toISOString() } as const;
  const created = await bulk.make(ANA, {
    filter: { accountId },
    edit,
    reason: REASON,
    confirm: '1',
    dueAt: null,
  });
  expect(created).toMatchObject({ changed: 1, skipped: 1 });
  expect(await Promise.all([young, old].map(expiryIn))).toEqual([60, null]);
  const never = { action: 'set_expiry', value: null } as const;
  expect(await bulk.plan({ accountId }, never)).toEqual({
    changes: 0,
    skipped: { beyond_policy: 1, already: 1 },
  });
});

describe('idle keys', () => {
  const check = () => services.get(IdleKeysService, { strict: false }).check();
  const reasonOf = async (keyId: string) => (await stateOf(keyId)).disableReason;

  /** Lets the time between the warning and the end of keys pass. */
  async function passTime(accountId: string): Promise<void> {
    await dataSource.query(
      `UPDATE idle_key SET warned_at = now() - interval '30 days', disables_at = now() - interval '1 second'
       WHERE key_id IN (SELECT id FROM api_key WHERE account_id = $1)`,
      [accountId],
    );
  }

  async function messagesTo(accountId: string): Promise<{ kinds: string[]; alerts: number }[]> {
    return dataSource.query(`SELECT kinds, alerts FROM alert_message WHERE account_id = $1 ORDER BY id`, [
      accountId,
    ]);
  }

  it('are warned about in one message, then disabled together, and come back with one click', async () => {
    const accountId = await openAccount('pro', { idleWarnDays: 90, idleDisableDays: 14 });
    await addContact(accountId);
    const idle = [];
    for (let index = 0; index < 30; index += 1)
      idle.push(await addKey(accountId, { name: `idle ${index}`, age: 200, unused: 100 }));
    const used = await addKey(accountId, { name: 'used', age: 200, unused: 1 });
    await check();
    await check();
    expect(await messagesTo(accountId)).toEqual([{ kinds: ['idle_warning'], alerts: 30 }]);
    await check();
    expect(await reasonOf(idle[0]!)).toBeNull();

    await dataSource.query('UPDATE api_key_use SET last_used_at = now() WHERE key_id = $1', [idle[1]]);
    await passTime(accountId);
    await Promise.all([check(), check()]);
    expect(await Promise.all([idle[0]!, idle[1]!, used].map(reasonOf))).toEqual(['idle', null, null]);
    const bulk = services.get(BulkUndoService, { strict: false });
    const [change] = await bulk.list();
    expect([change!.changed, change!.changedBy]).toEqual([29, 'idle-keys']);
    const [event] = await dataSource.query<{ actor_kind: string; actor_id: string }[]>(
      `SELECT actor_kind, actor_id FROM audit_event WHERE action = 'keys.disabled' AND target_id = $1`,
      [change!.id],
    );
    expect(event).toEqual({ actor_kind: 'system', actor_id: 'idle-keys' });

    await bulk.undo({ actor: ANA, changeId: change!.id, reason: REASON });
    await check();
    await passTime(accountId);
    await check();
    expect(await Promise.all(idle.map(reasonOf))).toEqual(idle.map(() => null));
  });

  it('that are being used at that moment, or were used just before, keep working', async () => {
    const accountId = await openAccount('pro', { idleWarnDays: 90, idleDisableDays: 14 });
    const [inUse, late] = [
      await addKey(accountId, { name: 'in use', age: 200, unused: 100 }),
      await addKey(accountId, { name: 'late', age: 200, unused: 100 }),
    ];
    await check();
    await passTime(accountId);
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('UPDATE api_key_use SET last_used_at = now() WHERE key_id = $1', [inUse]);
    await check();
    await runner.commitTransaction();
    await runner.release();
    await check();
    expect(await Promise.all([inUse, late].map(reasonOf))).toEqual([null, 'idle']);
    await dataSource.query(
      `UPDATE api_key_use SET last_used_at = now() - interval '2 seconds' WHERE key_id = $1`,
      [late],
    );
    await check();
    expect(await reasonOf(late)).toBeNull();
  });

  it('are warned about again when the policy ends keys only now, and not disabled without one', async () => {
    const accountId = await openAccount('pro', { idleWarnDays: 90 });
    await addContact(accountId);
    const keyId = await addKey(accountId, { age: 200, unused: 100 });
    await check();
    const scope = { tier: null, accountId } as const;
    await policies.save(ANA, scope, { ...NO_RULES, idleWarnDays: 90, idleDisableDays: 1 }, REASON);
    await check();
    expect(await messagesTo(accountId)).toEqual([{ kinds: ['idle_warning'], alerts: 2 }]);
    await policies.remove(ANA, scope, REASON);
    await passTime(accountId);
    await check();
    expect(await reasonOf(keyId)).toBeNull();
    await policies.save(ANA, scope, { ...NO_RULES, idleWarnDays: 90, idleDisableDays: 1 }, REASON);
    await check();
    expect(await reasonOf(keyId)).toBeNull();
  });

  it.each([
    ['that warns later', { idleWarnDays: 120, idleDisableDays: 1 }],
    ['that leaves more time after the warning', { idleWarnDays: 90, idleDisableDays: 60 }],
  ])('keep working under a policy %s, although they were warned under another', async (_, rules) => {
    const accountId = await openAccount('pro', { idleWarnDays: 90, idleDisableDays: 7 });
    const keyId = await addKey(accountId, { age: 200, unused: 100 });
    await check();
    await passTime(accountId);
    await policies.save(ANA, { tier: null, accountId }, { ...NO_RULES, ...rules }, REASON);
    await check();
    expect(await reasonOf(keyId)).toBeNull();
  });

  it('are warned again after a time without a policy, also those that were enabled once', async () => {
    const rules = { idleWarnDays: 90, idleDisableDays: 7 };
    const accountId = await openAccount('pro', rules);
    const keyId = await addKey(accountId, { age: 400, unused: 400 });
    await check();
    await dataSource.query(
      `UPDATE idle_key SET counted_from = now() - interval '200 days' WHERE key_id = $1`,
      [keyId],
    );
    await check();
    const scope = { tier: null, accountId } as const;
    await policies.remove(ANA, scope, REASON);
    await passTime(accountId);
    await check();
    await policies.save(ANA, scope, { ...NO_RULES, ...rules }, REASON);
    await check();
    expect(await reasonOf(keyId)).toBeNull();
  });
});
