import { plural } from '@app/domain/common/sentences';
import type { Account } from '@app/database/accounts/account.entity';
import type { KeyPolicy } from '@app/database/key-policies/key-policy.entity';
import { KeyPolicyRepository } from '@app/database/key-policies/key-policy.repository';
import { InvalidInput, type InputProblem } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import type { KeySettings } from '@app/domain/keys/key-fields';
import { storedPermissions } from '@app/domain/keys/key-field-checks';
import { firstExpiry, isBeyond, latestExpiry, permissionsBeyond } from '@app/domain/keys/key-policy';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { NewApiKey } from './api-keys.service';

/** What a key is compared with: what it has, and when its newest secret was made. */
type PresentKey = Pick<KeySettings, 'expiresAt' | 'permissions'> & { secretCreatedAt: () => Promise<Date> };

/** Holds new keys, edits, rotations and lists to the policy of their tier or account. */
@Injectable()
export class PolicyRulesService {
  constructor(private readonly policies: KeyPolicyRepository) {}

  /**
   * A new key with what its policy gives to one that comes without.
   *
   * @throws InvalidInput for an expiry, permissions or no allow-list that the policy does not accept
   */
  async completed(
    input: NewApiKey,
    account: Account,
    now: Date,
    em: EntityManager,
  ): Promise<NewApiKey & { expiresAt: Date | null }> {
    const policy = await this.policies.findHolding(account, em);
    const expiresAt = input.expiresAt === undefined ? firstExpiry(policy, now) : input.expiresAt;
    if (policy === null) return { ...input, expiresAt };
    refuse([
      ...expiryProblems(policy, expiresAt, now),
      ...permissionProblems(policy, storedPermissions(input.permissions)),
      ...listProblems(policy, input.allowedIps ?? null),
    ]);
    const { newKeyCreditLimit, newKeyRequestsPerMinute, newKeyConcurrencyLimit } = policy;
    const {
      creditLimit = newKeyCreditLimit,
      requestsPerMinute = newKeyRequestsPerMinute,
      concurrencyLimit = newKeyConcurrencyLimit,
    } = input;
    return { ...input, expiresAt, creditLimit, requestsPerMinute, concurrencyLimit };
  }

  /** The expiry that new keys begin with; null for none. */
  async firstExpiry(account: Account, now: Date, em: EntityManager): Promise<Date | null> {
    return firstExpiry(await this.policies.findHolding(account, em), now);
  }

  /**
   * What stays as it is may be more than the policy accepts: it was set before that.
   *
   * @throws InvalidInput for a later expiry or other permissions than the policy accepts
   */
  async requireEdit(
    { expiresAt, permissions }: Partial<KeySettings>,
    account: Account,
    present: PresentKey,
    em: EntityManager,
  ): Promise<void> {
    const setsExpiry = expiresAt !== undefined && expiresAt?.getTime() !== present.expiresAt?.getTime();
    if (!setsExpiry && permissions === undefined) return;
    const policy = await this.policies.findHolding(account, em);
    if (policy === null) return;
    refuse([
      ...(setsExpiry ? expiryProblems(policy, expiresAt, await present.secretCreatedAt()) : []),
      ...(permissions === undefined ? [] : permissionProblems(policy, permissions, present.permissions)),
    ]);
  }

  /** @throws InvalidInput when each key of the account needs a list */
  async requireNoListNeeded(account: Account, em: EntityManager): Promise<void> {
    const policy = await this.policies.findHolding(account, em);
    if (policy !== null) refuse(listProblems(policy, null));
  }

  /** @throws DomainError for a key that would work for longer than the policy allows from a new secret on */
  async requireRotatable(
    expiresAt: Date | null,
    account: Account,
    now: Date,
    em: EntityManager,
  ): Promise<void> {
    const policy = await this.policies.findHolding(account, em);
    const latest = latestExpiry(policy, now);
    if (!policy || !latest || !isBeyond(expiresAt, latest)) return;
    const expires = expiresAt ? `expires on ${expiresAt.toISOString()}` : 'does not expire';
    throw new DomainError('key_lifetime_exceeded', {
      expires,
      whose: whoseOf(policy),
      days: policy.maxLifetimeDays!,
      latest: latest.toISOString(),
    });
  }
}

function refuse(problems: InputProblem[]): void {
  if (problems.length > 0) throw new InvalidInput(problems);
}

function whoseOf(policy: KeyPolicy): string {
  return policy.accountId === null ? `tier ${policy.tier}` : 'account';
}

function expiryProblems(policy: KeyPolicy, expiresAt: Date | null, from: Date): InputProblem[] {
  const latest = latestExpiry(policy, from);
  const days = policy.maxLifetimeDays;
  if (latest === null || days === null || !isBeyond(expiresAt, latest)) return [];
  const accepted = `a time until ${latest.toISOString()}`;
  return [
    {
      type: 'lifetime_too_long',
      path: ['expires_at'],
      msg: `Input should be ${accepted}: the policy of the ${whoseOf(policy)} allows ${plural(days, 'day')} from a key's newest secret on`,
      input: expiresAt?.toISOString() ?? null,
      ctx: { accepted, max_lifetime_days: days },
    },
  ];
}

function permissionProblems(
  policy: KeyPolicy,
  permissions: string[] | null,
  present?: string[] | null,
): InputProblem[] {
  const beyond = permissionsBeyond(policy, permissions, present);
  if (policy.permissions === null || beyond.length === 0) return [];
  const accepted =
    policy.permissions.length > 0 ? `some of ${policy.permissions.join(', ')}` : 'an empty list';
  return [
    {
      type: 'permissions_not_accepted',
      path: ['permissions'],
      msg: `Input should be ${accepted}: the policy of the ${whoseOf(policy)} does not accept ${beyond === 'all' ? `'all'` : beyond.join(', ')}`,
      input: permissions ?? 'all',
      ctx: { accepted },
    },
  ];
}

function listProblems(policy: KeyPolicy, list: readonly string[] | null): InputProblem[] {
  if (policy.allowListRequired !== true || list !== null) return [];
  return [
    {
      type: 'allow_list_required',
      path: ['allowed_ips'],
      msg: `Input should be a list of addresses: the policy of the ${whoseOf(policy)} requires an allow-list of each key`,
      input: null,
    },
  ];
}
