import { mayEnableAllowLists } from '@app/domain/allow-lists/allow-list-entitlement';
import { DAY_MS } from '@app/domain/common/utc-days';
import { NO_RULES } from '@app/domain/keys/key-policy';
import { AccountsService } from '@app/administration/accounts/accounts.service';
import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import { bySystem } from '@app/administration/audit/audit-actors';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { ApiKeyChangesService } from '@app/administration/keys/api-key-changes.service';
import { KeyPoliciesService } from '@app/administration/keys/key-policies.service';
import { WebhooksService } from '@app/administration/webhooks/webhooks.service';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { StaffRepository } from '@app/database/staff/staff.repository';
import type { INestApplicationContext } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { AuditEntry } from '@app/administration/audit/audit-log';
import { MAIN, OTHERS, type DemoAccount, type DemoKey } from './demo-accounts';

export const OFFICE = '203.0.113.10';
export const AGENCY = '198.51.100.7';

/** An account of the demo as it was opened, and its keys. */
export interface DemoCustomer {
  account: DemoAccount;
  accountId: string;
  keys: (DemoKey & { id: string })[];
}

const HOOK = 'https://hooks.example.com/greenroom';
/** The external id of the account once all of it is there. */
const FINISHED = 'greenroom-demo';
const REASON = 'Ticket 4711';
const actor = bySystem('demo');
const change = { actor, expected: 'any' as const, reason: REASON };

/** Whether the demo was added before, to its end. */
export async function hasDemoCustomer(services: INestApplicationContext): Promise<boolean> {
  const accounts = services.get(AccountRepository, { strict: false });
  return services
    .get(DataSource)
    .transaction((em) => accounts.hasExternalId({ id: randomUUID(), externalId: FINISHED }, em));
}

export async function markFinished(services: INestApplicationContext, accountId: string): Promise<void> {
  const accounts = services.get(AccountRepository, { strict: false });
  await services
    .get(DataSource)
    .transaction((em) => accounts.update(accountId, { externalId: FINISHED }, em));
}

/** Accounts of some age with their keys, of which the first administrator manages some. */
export async function addCustomers(
  services: INestApplicationContext,
): Promise<[DemoCustomer, ...DemoCustomer[]]> {
  const [admin] = await services.get(StaffRepository, { strict: false }).listActive(['admin'], 1);
  const add = async (account: DemoAccount) => addCustomer(services, account, admin?.id ?? null);
  const customers: [DemoCustomer, ...DemoCustomer[]] = [await add(MAIN)];
  for (const account of OTHERS) customers.push(await add(account));
  return customers;
}

async function addCustomer(
  services: INestApplicationContext,
  account: DemoAccount,
  adminId: string | null,
): Promise<DemoCustomer> {
  const accountId = await openAccount(services, account, adminId);
  const keys: DemoCustomer['keys'] = [];
  for (const key of account.keys) {
    const expiresAt = key.expiresInDays ? new Date(Date.now() + key.expiresInDays * DAY_MS) : null;
    const input = { accountId, name: key.name, creditLimit: key.limit ?? null, expiresAt };
    const issued = services.get(ApiKeyChangesService).create(actor, { ...input, permissions: 'all' }, REASON);
    keys.push({ ...key, id: (await issued).keyId });
  }
  return { account, accountId, keys };
}

/** A receiver that is not there: what is delivered to it fails, which is worth seeing as well. */
export async function addWebhook(
  services: INestApplicationContext,
  { accountId }: DemoCustomer,
): Promise<void> {
  const webhook = { name: 'Production', url: HOOK, events: ['voice.reviewed' as const] };
  const webhooks = services.get(WebhooksService);
  await services.get(AuditedChanges).make(webhooks.creating(actor, accountId, webhook, REASON));
}

/**
 * A list that refuses the agency and is reverted in an hour unless it is kept, a rotation that has begun, and a policy, which
 * would refuse the rotation of a key without an expiry.
 */
export async function restrictKeys(
  services: INestApplicationContext,
  { accountId, keys: [key] }: DemoCustomer,
): Promise<void> {
  const keyId = key!.id;
  const list = { entries: [{ address: `${OFFICE}/32`, note: 'the office' }] };
  await services
    .get(AllowListsService)
    .replace(
      { ...change, owner: { kind: 'key', id: keyId } },
      { list, confirmed: true, undoAfterMinutes: 60 },
    );
  await services.get(ApiKeyChangesService).rotate({ ...change, keyId }, 7);
  const rules = { ...NO_RULES, maxLifetimeDays: 3_650, idleWarnDays: 90 };
  await services.get(KeyPoliciesService).save(actor, { tier: null, accountId }, rules, REASON);
}

async function openAccount(
  services: INestApplicationContext,
  { name, tier, credits, daysOld, managed }: DemoAccount,
  adminId: string | null,
): Promise<string> {
  const accounts = services.get(AccountRepository, { strict: false });
  const account = { name, tier };
  const managerId = managed ? adminId : null;
  const mayHaveLists = mayEnableAllowLists(tier);
  const { result } = await services.get(AuditedChanges).make(async (em) => {
    const overrides = credits === undefined ? {} : { overrides: { credits } };
    const openedAt = new Date(Date.now() - daysOld * DAY_MS);
    const { id } = await services.get(AccountsService).create({ ...account, ...overrides }, em, openedAt);
    const switched = {
      ipAllowListEnabled: true,
      ipAllowListChangedAt: new Date(),
      ipAllowListChangedBy: actor.name,
      ipAllowListReason: REASON,
    };
    await accounts.update(id, { managerId, ...(mayHaveLists && switched) }, em);
    const change = { actor, target: { type: 'account', id, accountId: id }, reason: REASON };
    const events: AuditEntry[] = [{ ...change, action: 'account.created', after: account }];
    if (mayHaveLists) events.push({ ...change, action: 'account.ip_allow_list_switched_on' });
    return { result: id, events };
  });
  return result;
}
