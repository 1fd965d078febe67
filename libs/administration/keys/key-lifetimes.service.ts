import { plural } from '@app/domain/common/sentences';
import type { Account } from '@app/database/accounts/account.entity';
import { KeyPolicyRepository } from '@app/database/key-policies/key-policy.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import { isBeyond, latestExpiry } from '@app/domain/keys/key-policy';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A limit of a lifetime, and whose policy it is. */
interface Limit {
  latest: Date;
  days: number;
  whose: string;
}

/** Holds new keys, edits and rotations to the lifetime that the policy of their tier or account allows. */
@Injectable()
export class KeyLifetimesService {
  constructor(private readonly policies: KeyPolicyRepository) {}

  /**
   * The expiry of a new key: as requested, else as late as the policy allows.
   *
   * @throws InvalidInput for a later one, or for null under a policy
   */
  async ofNewKey(
    input: Date | null | undefined,
    account: Account,
    now: Date,
    em: EntityManager,
  ): Promise<Date | null> {
    const limit = await this.limitOf(account, now, em);
    if (input === undefined) return limit?.latest ?? null;
    refuseLater(input, limit);
    return input;
  }

  /** @throws InvalidInput for an expiry that is later than the policy allows from the newest secret on */
  async requireAllowed(
    input: Date | null,
    account: Account,
    secretCreatedAt: Date,
    em: EntityManager,
  ): Promise<void> {
    refuseLater(input, await this.limitOf(account, secretCreatedAt, em));
  }

  /** @throws DomainError for a key that would work for longer than the policy allows from a new secret on */
  async requireRotatable(
    expiresAt: Date | null,
    account: Account,
    now: Date,
    em: EntityManager,
  ): Promise<void> {
    const limit = await this.limitOf(account, now, em);
    if (!limit || !isBeyond(expiresAt, limit.latest)) return;
    const expires = expiresAt ? `expires on ${expiresAt.toISOString()}` : 'does not expire';
    throw new DomainError('key_lifetime_exceeded', {
      expires,
      whose: limit.whose,
      days: limit.days,
      latest: limit.latest.toISOString(),
    });
  }

  private async limitOf(account: Account, from: Date, em: EntityManager): Promise<Limit | null> {
    const policy = await this.policies.findHolding(account, em);
    const latest = latestExpiry(policy, from);
    if (!policy || !latest || policy.maxLifetimeDays === null) return null;
    const whose = policy.accountId === null ? `tier ${policy.tier}` : 'account';
    return { latest, days: policy.maxLifetimeDays, whose };
  }
}

function refuseLater(input: Date | null, limit: Limit | null): void {
  if (!limit || !isBeyond(input, limit.latest)) return;
  const { latest, days, whose } = limit;
  const accepted = `a time until ${latest.toISOString()}`;
  throw new InvalidInput([
    {
      type: 'lifetime_too_long',
      path: ['expires_at'],
      msg: `Input should be ${accepted}: the policy of the ${whose} allows ${plural(days, 'day')} from a key's newest secret on`,
      input: input?.toISOString() ?? null,
      ctx: { accepted, max_lifetime_days: days },
    },
  ]);
}
