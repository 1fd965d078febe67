import {
  StaffAttemptRepository,
  type AttemptLimit,
} from '@app/database/repositories/staff-attempt.repository';
import { DomainError } from '@app/domain/errors';
import { parseIpAddress } from '@app/domain/ip-address';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';

/** From one address, whoever it tries to be. */
const ADDRESS: AttemptLimit = { burst: 20, refillSecs: 6 };
/** For one e-mail address, from everywhere it has not signed in from before. */
const STRANGERS: AttemptLimit = { burst: 10, refillSecs: 30 };
/** For one e-mail address, from an address it has signed in from before. */
const FAMILIAR: AttemptLimit = { burst: 10, refillSecs: 30 };

const FORGET_STRANGERS_DAYS = 1;
const FORGET_FAMILIAR_DAYS = 30;

/**
 * Slows guessing down, without a lock that somebody else could close: whoever guesses at a person's password uses up the
 * attempts of strangers, not those from the addresses the person signs in from.
 */
@Injectable()
export class SignInThrottle {
  constructor(private readonly attempts: StaffAttemptRepository) {}

  /** @throws DomainError `rate_limit_exceeded` when there is no attempt left */
  async take(email: string, address: string | null): Promise<void> {
    const { addressKey, strangersKey, familiarKey } = keysOf(email, address);
    const familiar = await this.attempts.exists(familiarKey);
    await this.takeOrRefuse(addressKey, ADDRESS);
    await (familiar ? this.takeOrRefuse(familiarKey, FAMILIAR) : this.takeOrRefuse(strangersKey, STRANGERS));
  }

  /** One more guess from an address: for the second step of a sign-in, whose person is known by then. */
  async takeFromAddress(address: string | null): Promise<void> {
    await this.takeOrRefuse(keysOf('', address).addressKey, ADDRESS);
  }

  /** After a sign-in: its address is familiar from now on, and its attempts are given back. */
  async succeeded(email: string, address: string | null): Promise<void> {
    const { addressKey, strangersKey, familiarKey } = keysOf(email, address);
    await this.attempts.fill(familiarKey, FAMILIAR);
    await this.attempts.giveBack([addressKey, strangersKey]);
    await this.attempts.deleteUnused('strangers:', FORGET_STRANGERS_DAYS);
    await this.attempts.deleteUnused('address:', FORGET_STRANGERS_DAYS);
    await this.attempts.deleteUnused('familiar:', FORGET_FAMILIAR_DAYS);
  }

  private async takeOrRefuse(key: string, limit: AttemptLimit): Promise<void> {
    const retryAfterSecs = await this.attempts.take(key, limit);
    if (retryAfterSecs > 0) throw new DomainError('rate_limit_exceeded', {}, { retryAfterSecs });
  }
}

/** What is typed as an e-mail address may be a password: only its digest is stored. */
function keysOf(email: string, address: string | null) {
  const person = createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 32);
  const network = networkOf(address);
  return {
    addressKey: `address:${network}`,
    strangersKey: `strangers:${person}`,
    familiarKey: `familiar:${person}:${network}`,
  };
}

/** An IPv6 subscriber has a /64 to choose addresses from. */
function networkOf(address: string | null): string {
  const parsed = address === null ? null : parseIpAddress(address);
  return parsed?.family === 6 ? `${parsed.w0.toString(16)}:${parsed.w1.toString(16)}::/64` : String(address);
}
