import { isNotOver } from '../common/key-status-sql';
import type { DisableReason } from '@app/domain/keys/disable-reasons';
import { propertyOf } from '@app/domain/common/property-name';
import { KEY_FIELD_NAMES, KEY_FIELDS, type KeySettings } from '@app/domain/keys/key-fields';
import type { Tier } from '@app/domain/accounts/tiers';
import type { AccountStatus } from '@app/domain/accounts/account-status';
import { inPeriod } from '../credits/current-balance';

/** A key with everything that is shown of it. */
export interface ApiKeyView extends KeySettings {
  id: string;
  accountId: string;
  accountName: string;
  accountStatus: AccountStatus;
  tier: Tier;
  serviceAccountId: string | null;
  /** The key that created it and that key's parent keys; null for none. */
  parentKeyIds: string[] | null;
  /** The file of keys that manages it; null for none. */
  managedBy: string | null;
  disableReason: DisableReason | null;
  disabledAt: Date | null;
  /** Null for a key that is not deleted. */
  deletedAt: Date | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
  maskedSecret: string;
  /** SHA-256 of the current secret. */
  digest: string;
  lastUsedAt: Date | null;
  lastUsedAddress: string | null;
  /** Beyond the limit, in this period. */
  creditsGranted: number;
  creditsUsed: number;
  periodStart: Date;
  periodEnd: Date;
  /** When the secret before the current one stops working, at the latest with the key; null when it has. */
  oldSecretRetiresAt: Date | null;
}

/** The settings of a key `k` with its balance `b`, in SQL. */
export const SETTING_COLUMNS = KEY_FIELD_NAMES.map(
  (name) => `${KEY_FIELDS[name].ownColumn ? `k.${name}` : `b.${name}::float8`} AS "${propertyOf(name)}"`,
).join(', ');

/** The columns of a view, in SQL. */
export const VIEW_COLUMNS = `
  k.id, k.account_id AS "accountId", a.name AS "accountName", a.status AS "accountStatus", a.tier,
  k.service_account_id AS "serviceAccountId", k.maker_ids AS "parentKeyIds", ${SETTING_COLUMNS}, k.managed_by AS "managedBy",
  k.disable_reason AS "disableReason", k.disabled_at AS "disabledAt", k.deleted_at AS "deletedAt", k.version::int, k.created_at AS "createdAt", k.updated_at AS "updatedAt",
  s.hint AS "maskedSecret", s.digest, u.last_used_at AS "lastUsedAt", u.last_used_address AS "lastUsedAddress",
  ${inPeriod('b', 'granted')}::float8 AS "creditsGranted", ${inPeriod('b', 'used')}::float8 AS "creditsUsed",
  CASE WHEN b.period_end > now() THEN b.period_start ELSE (billing_period(b.period_anchor, now())).period_start END AS "periodStart",
  CASE WHEN b.period_end > now() THEN b.period_end ELSE (billing_period(b.period_anchor, now())).period_end END AS "periodEnd",
  CASE WHEN o.retires_at IS NOT NULL THEN least(o.retires_at, k.expires_at) END AS "oldSecretRetiresAt"`;

/** What a view joins to the key `k`, in SQL. */
export const VIEW_JOINS = `
  JOIN account a ON a.id = k.account_id
  JOIN credit_balance b ON b.subject_id = k.id
  LEFT JOIN api_key_use u ON u.key_id = k.id
  JOIN LATERAL (
    SELECT c.hint, c.digest, c.number FROM api_key_secret c WHERE c.key_id = k.id ORDER BY c.number DESC LIMIT 1
  ) s ON true
  LEFT JOIN api_key_secret o ON o.key_id = k.id AND o.number = s.number - 1 AND o.retires_at > now()
    AND ${isNotOver('k')}`;
