import type { KeyRefusal } from '@app/database/traffic/key-refusal.entity';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import {
  ObservedTrafficRepository,
  type AddressTraffic,
  type DayTraffic,
  type HourTraffic,
  type RouteTraffic,
} from '@app/database/traffic/observed-traffic.repository';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { Injectable } from '@nestjs/common';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { DAY_MS, lastDays, type UtcDays } from '@app/domain/common/utc-days';
import { isUuid } from '@app/domain/common/uuid';

const REFUSALS_SHOWN = 50;

/** How a key was used during some days. */
export interface KeyTraffic {
  days: number;
  since: Date;
  addresses: AddressTraffic[];
  routes: RouteTraffic[];
  hours: HourTraffic[];
}

/** How the keys of an account were used on some days. */
export interface AccountTraffic extends UtcDays {
  items: DayTraffic[];
}

/** What is known of the requests of a key, for staff. Up to a second old. */
@Injectable()
export class ObservedTrafficService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly traffic: ObservedTrafficRepository,
    private readonly accounts: AccountRepository,
  ) {}

  async get(keyId: string, days: number): Promise<KeyTraffic> {
    await this.requireKey(keyId);
    const since = new Date(Date.now() - days * DAY_MS);
    const [addresses, routes, hours] = await Promise.all([
      this.traffic.listAddresses(keyId, since),
      this.traffic.listRoutes(keyId, since),
      this.traffic.listHours(keyId, since),
    ]);
    return { days, since, addresses, routes, hours };
  }

  /** The newest requests that were refused because of the key, newest first. */
  async listRefusals(keyId: string): Promise<KeyRefusal[]> {
    await this.requireKey(keyId);
    return this.traffic.listRefusals(keyId, REFUSALS_SHOWN);
  }

  /** The same for all keys of an account, by whole days in UTC, the last of which is not over. */
  async getOfAccount(accountId: string, days: number): Promise<AccountTraffic> {
    await this.accounts.get(accountId);
    const { from, to } = lastDays(days, new Date());
    return { from, to, items: await this.traffic.listAccountDays(accountId, new Date(from)) };
  }

  private async requireKey(keyId: string): Promise<void> {
    if (!isUuid(keyId) || !(await this.keys.exists(keyId))) throw keyNotFound(keyId);
  }
}
