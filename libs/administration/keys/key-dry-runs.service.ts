import { CreditLedgerRepository } from '@app/database/credits/credit-ledger.repository';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { ObservedTrafficRepository } from '@app/database/traffic/observed-traffic.repository';
import { DAY_MS, lastDays } from '@app/domain/common/utc-days';
import { isUuid } from '@app/domain/common/uuid';
import type { EvaluatedTraffic } from '@app/domain/dry-runs/dry-run';
import {
  dryRunCreditLimit,
  dryRunRequests,
  type CreditDryRun,
  type RequestsDryRun,
} from '@app/domain/dry-runs/limit-dry-run';
import {
  dryRunPermissions,
  suggestPermissions,
  type PermissionSuggestion,
  type RouteUse,
} from '@app/domain/dry-runs/permission-dry-run';
import { STOPPED } from '@app/gates/gates';
import { Injectable } from '@nestjs/common';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { propertyOf, type CamelCase } from '@app/domain/common/property-name';
import { DRY_RUN_FIELDS, KEY_FIELDS, type DryRunField, type SomeSettings } from '@app/domain/keys/key-fields';
import { toStored } from '@app/domain/keys/key-settings';

/** Settings of a key to try; undefined leaves one out. */
export type TriedSettings = SomeSettings<DryRunField>;

/** What a setting would have done, by what it is compared with. */
interface DryRuns {
  routes: EvaluatedTraffic<RouteUse>;
  spending: CreditDryRun;
  second: RequestsDryRun;
  minute: RequestsDryRun;
  day: RequestsDryRun;
}

/** What the settings would have done, each separately; null for one that was not tried. */
export type SettingsDryRun = {
  [N in DryRunField as CamelCase<N>]: DryRuns[(typeof KEY_FIELDS)[N]['dryRun']] | null;
} & { days: number };

/** Tries settings of a key against what it was used for, without changing anything. */
@Injectable()
export class KeyDryRunsService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly traffic: ObservedTrafficRepository,
    private readonly ledger: CreditLedgerRepository,
  ) {}

  /** @throws InvalidInput for permissions that do not exist */
  async run(keyId: string, tried: TriedSettings, days: number): Promise<SettingsDryRun> {
    const requested = toStored(tried, null);
    await this.requireKey(keyId);
    const since = daysAgo(days);
    const { from } = lastDays(days, new Date());
    const hours = once(() => this.traffic.listHourUses(keyId, since, [...STOPPED.permission, 'limit']));
    const requests = (window: 'second' | 'minute' | 'day') => async (limit: number | null) =>
      dryRunRequests(window, limit, await hours());
    const by: { [K in keyof DryRuns]: (value: never) => Promise<DryRuns[K]> } = {
      routes: async (permissions: string[] | null) =>
        dryRunPermissions(permissions, await this.traffic.listRouteUses(keyId, since, STOPPED.permission)),
      spending: async (limit: number | null) =>
        dryRunCreditLimit(await this.ledger.listSpending(keyId, since), limit, from),
      second: requests('second'),
      minute: requests('minute'),
      day: requests('day'),
    };
    const runs = DRY_RUN_FIELDS.map(async (name) => {
      const value = requested[propertyOf(name)];
      const run = value === undefined ? null : await by[KEY_FIELDS[name].dryRun](value as never);
      return [propertyOf(name), run] as const;
    });
    return { days, ...Object.fromEntries(await Promise.all(runs)) } as SettingsDryRun;
  }

  /** The permissions that the key has used in the last days. */
  async suggestPermissions(keyId: string, days: number): Promise<PermissionSuggestion> {
    await this.requireKey(keyId);
    return suggestPermissions(await this.traffic.listRouteUses(keyId, daysAgo(days), STOPPED.permission));
  }

  private async requireKey(keyId: string): Promise<void> {
    if (!isUuid(keyId) || !(await this.keys.exists(keyId))) throw keyNotFound(keyId);
  }
}

/** Reads at the first call, and returns the same to all of them. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => (reading ??= read());
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS);
}
