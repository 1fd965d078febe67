import { NO_RULES } from '@app/domain/keys/key-policy';
import { AccountsService } from '@app/administration/accounts/accounts.service';
import { AllowListsService } from '@app/administration/allow-lists/allow-lists.service';
import { bySystem } from '@app/administration/audit/audit-actors';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { ApiKeyChangesService } from '@app/administration/keys/api-key-changes.service';
import { KeyPoliciesService } from '@app/administration/keys/key-policies.service';
import { WebhooksService } from '@app/administration/webhooks/webhooks.service';
import { AccountRepository } from '@app/database/accounts/account.repository';
import type { INestApplicationContext } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { AuditEntry } from '@app/administration/audit/audit-log';

export const OFFICE = '203.0.113.10';
export const AGENCY = '198.51.100.7';

/** The account of the demo, and its keys. */
export interface DemoCustomer {
  accountId: string;
  /** It is used much, and has an allow-list that waits to be kept. */
  productionKeyId: string;
  /** It has no limit and no list, and is never used: what key safety finds. */
  forgottenKeyId: string;
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

/** An account that may have allow-lists, with two keys and a webhook. */
export async function addDemoCustomer(services: INestApplicationContext): Promise<DemoCustomer> {
  const accountId = await openAccount(services);
  const keys = services.get(ApiKeyChangesService);
  const issue = async (name: string, creditLimit: number | null) =>
    (await keys.create(actor, { accountId, name, permissions: 'all', creditLimit }, REASON)).keyId;
  const productionKeyId = await issue('Production, text to voice', 50_000);
  const forgottenKeyId = await issue('Trial of last year', null);
  const webhook = { name: 'Production', url: HOOK, events: ['voice.reviewed' as const] };
  // Not checked: what is delivered to it fails, which is worth seeing as well.
  await services
    .get(AuditedChanges)
    .make(services.get(WebhooksService).creating(actor, accountId, webhook, REASON));
  return { accountId, productionKeyId, forgottenKeyId };
}

/**
 * A list that refuses the agency and is reverted in an hour unless it is kept, a rotation that has begun, and a policy, which
 * would refuse the rotation of a key without an expiry.
 */
export async function restrictKeys(
  services: INestApplicationContext,
  { accountId, productionKeyId: keyId }: DemoCustomer,
): Promise<void> {
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

async function openAccount(services: INestApplicationContext): Promise<string> {
  const accounts = services.get(AccountRepository, { strict: false });
  const { result } = await services.get(AuditedChanges).make(async (em) => {
    const account = { name: 'Northwind Audio', tier: 'enterprise' } as const;
    const { id } = await services.get(AccountsService).create(account, em);
    const now = new Date();
    await accounts.update(
      id,
      {
        ipAllowListEnabled: true,
        ipAllowListChangedAt: now,
        ipAllowListChangedBy: actor.name,
        ipAllowListReason: REASON,
      },
      em,
    );
    const target = { type: 'account', id, accountId: id };
    const created: AuditEntry = { actor, action: 'account.created', target, after: account, reason: REASON };
    const switched: AuditEntry = {
      actor,
      action: 'account.ip_allow_list_switched_on',
      target,
      reason: REASON,
    };
    return { result: id, events: [created, switched] };
  });
  return result;
}
