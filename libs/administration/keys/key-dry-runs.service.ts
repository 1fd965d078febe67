import { CreditLedgerRepository } from '@app/database/credits/credit-ledger.repository';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { ObservedTrafficRepository } from '@app/database/traffic/observed-traffic.repository';
import { lastDays } from '@app/domain/common/utc-days';
import { isUuid } from '@app/domain/common/uuid';
import type { EvaluatedTraffic } from '@app/domain/traffic/dry-run';
import {
  dryRunCreditLimit,
  dryRunRequestsPerMinute,
  type CreditDryRun,
  type HourUse,
} from '@app/domain/traffic/limit-dry-run';
import {
  dryRunPermissions,
  suggestPermissions,
  type PermissionSuggestion,
  type RouteUse,
} from '@app/domain/traffic/permission-dry-run';
import { STOPPED } from '@app/gates/gates';
import { Injectable } from '@nestjs/common';
import { keyNotFound } from '@app/domain/keys/key-not-found';
import { storedPermissions } from './api-keys.service';

const DAY_MS = 86_400_000;

/** Settings of a key to try; undefined leaves one out. */
export interface TriedSettings {
  permissions?: readonly string[] | 'all';
  creditLimit?: number | null;
  requestsPerMinute?: number | null;
}

/** What the settings would have done, each separately; null for one that was not tried. */
export interface SettingsDryRun {
  days: number;
  permissions: EvaluatedTraffic<RouteUse> | null;
  creditLimit: CreditDryRun | null;
  requestsPerMinute: (EvaluatedTraffic<HourUse> & { refusedAtLeast: number }) | null;
}

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
    const { permissions, creditLimit, requestsPerMinute } = tried;
    const requested = permissions === undefined ? undefined : storedPermissions(permissions);
    await this.requireKey(keyId);
    const since = daysAgo(days);
    const [routes, spending, hours] = await Promise.all([
      requested === undefined ? null : this.traffic.listRouteUses(keyId, since, STOPPED.permission),
      creditLimit === undefined ? null : this.ledger.listSpending(keyId, since),
      requestsPerMinute === undefined
        ? null
        : this.traffic.listHourUses(keyId, since, [...STOPPED.permission, 'limit']),
    ]);
    const { from } = lastDays(days, new Date());
    return {
      days,
      permissions: routes && dryRunPermissions(requested ?? null, routes),
      creditLimit: spending && dryRunCreditLimit(spending, creditLimit ?? null, from),
      requestsPerMinute: hours && dryRunRequestsPerMinute(requestsPerMinute ?? null, hours),
    };
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

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS);
}
