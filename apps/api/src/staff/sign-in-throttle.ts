import { StaffAttemptRepository, type AttemptLimit } from '@app/database/staff/staff-attempt.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { Visitor } from '@app/domain/staff/staff';
import { networkOf, personOf } from './attempt-keys';
import { KnownDevices } from './known-devices';

/** From one network, for any person. */
const NETWORK: AttemptLimit = { burst: 20, refillSecs: 6 };
/** For one e-mail address from everywhere else, from one network it signs in from, or from one of its browsers; and for one session. */
const PERSON: AttemptLimit = { burst: 10, refillSecs: 30 };

const KEEP_DAYS = {
  'strangers:': 1,
  'network:': 1,
  'device:': 1,
  'own:': 1,
  'refused:': 1,
  'refused-count:': 1,
  'familiar:': 30,
};

/**
 * Slows guessing down, without a lock that a stranger could close. A browser in which the person has signed in before has
 * separate attempts, which no other request uses up, regardless of its address; so does a network that the person signs in
 * from; everybody else shares the rest.
 */
@Injectable()
export class SignInThrottle {
  constructor(
    private readonly attempts: StaffAttemptRepository,
    private readonly devices: KnownDevices,
  ) {}

  /** @throws DomainError `rate_limit_exceeded` when no attempt is left */
  async take(email: string, { address, cookie }: Visitor): Promise<void> {
    const device = this.devices.read(cookie);
    if (device?.person === personOf(email)) return this.takeOrRefuse(`device:${device.id}`, PERSON);
    const { familiarKey, strangersKey } = keysOf(email, address);
    const familiar = await this.attempts.exists(familiarKey);
    await this.takeOrRefuse(`network:${networkOf(address)}`, NETWORK);
    await this.takeOrRefuse(familiar ? familiarKey : strangersKey, PERSON);
  }

  /** One more guess of a visitor: for the second step of a sign-in, whose person is known by then. */
  async takeFromVisitor({ address, cookie }: Visitor): Promise<void> {
    const device = this.devices.read(cookie);
    if (device) return this.takeOrRefuse(`device:${device.id}`, PERSON);
    await this.takeOrRefuse(`network:${networkOf(address)}`, NETWORK);
  }

  /** One guess at the password or code of a person who is signed in: only their own sessions use these up. */
  async takeOwn(memberId: string): Promise<void> {
    await this.takeOrRefuse(`own:${memberId}`, PERSON);
  }

  async succeededOwn(memberId: string): Promise<void> {
    await this.attempts.release([`own:${memberId}`]);
  }

  /**
   * After a sign-in: its network and its browser are familiar from now on, and its attempts are returned.
   *
   * @returns the cookie by which the browser is known
   */
  async succeeded(email: string, { address, cookie }: Visitor): Promise<string> {
    const { familiarKey, strangersKey } = keysOf(email, address);
    const device = this.devices.read(cookie);
    await this.attempts.fill(familiarKey, PERSON);
    if (device?.person === personOf(email)) await this.attempts.fill(`device:${device.id}`, PERSON);
    else await this.attempts.release([`network:${networkOf(address)}`, strangersKey]);
    for (const [prefix, days] of Object.entries(KEEP_DAYS)) await this.attempts.deleteUnused(prefix, days);
    return this.devices.remember(email, cookie);
  }

  private async takeOrRefuse(key: string, limit: AttemptLimit): Promise<void> {
    const retryAfterSecs = await this.attempts.take(key, limit);
    if (retryAfterSecs > 0) throw new DomainError('rate_limit_exceeded', {}, { retryAfterSecs });
  }
}

function keysOf(email: string, address: string | null) {
  const person = personOf(email);
  return { familiarKey: `familiar:${person}:${networkOf(address)}`, strangersKey: `strangers:${person}` };
}
