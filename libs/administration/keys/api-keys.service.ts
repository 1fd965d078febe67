import { AppConfig } from '@app/config/app-config';
import { CreditBalances } from '@app/credits/credit-balances';
import type { ApiKey } from '@app/database/keys/api-key.entity';
import { ApiKeyRepository, type NewSecret } from '@app/database/keys/api-key.repository';
import { parseAllowList } from '@app/domain/allow-lists/allow-list';
import { digestSecret, generateSecret, maskSecret } from '@app/domain/keys/api-key-secret';
import { parsePermissions } from '@app/domain/keys/permissions';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomBytes, randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { canonicalTags, checkTags } from '@app/domain/common/tags';
import { newKeyId } from '@app/domain/common/cell';
import { DomainError } from '@app/domain/errors';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { checkAllowedIps, checkCredits, checkPermissions, requireValid } from './key-field-checks';

export interface NewApiKey {
  accountId: string;
  serviceAccountId?: string | null;
  /** The key that creates it and that key's parent keys, see `ApiKey.makerIds`; null for staff. */
  parentKeyIds?: readonly string[] | null;
  name: string;
  permissions: readonly string[] | 'all';
  /** Credits per billing period, or null for the account's limit only. */
  creditLimit?: number | null;
  /** Addresses and CIDRs, or null for any address. */
  allowedIps?: readonly string[] | null;
  expiresAt?: Date | null;
  requestsPerMinute?: number | null;
  requestsPerSecond?: number | null;
  requestsPerDay?: number | null;
  thirdPartyDisableAllowed?: boolean | null;
  tags?: readonly string[];
  externalId?: string | null;
  /** The file of keys that manages it. */
  managedBy?: string | null;
}

export interface IssuedApiKey {
  keyId: string;
  /** Shown once: only its digest is stored. */
  secret: string;
  key: ApiKey;
}

/** Issues keys. The caller's permission is checked before. */
@Injectable()
export class ApiKeysService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly keys: ApiKeyRepository,
    private readonly credits: CreditBalances,
    private readonly config: AppConfig,
  ) {}

  /**
   * Issues a key with its first secret.
   *
   * @throws InvalidInput naming everything that is not accepted
   */
  async create(input: NewApiKey, em?: EntityManager): Promise<IssuedApiKey> {
    if (!em) return this.dataSource.transaction((transaction) => this.create(input, transaction));
    const key = toKey(input);
    const { secret, stored } = this.newSecret(key.id, 1, key.createdAt);
    const creditLimit = input.creditLimit ?? null;
    if (creditLimit !== null) requireValid('credit_limit', creditLimit, checkCredits);
    if (key.externalId !== null)
      await requireFreeExternalId(this.keys, { ...key, externalId: key.externalId }, em);
    await this.keys.insert(key, stored, em);
    const { id: keyId, accountId, parentKeyIds } = key;
    await this.credits.openKey({ keyId, accountId, creditLimit, parentKeyIds }, em);
    return { keyId, secret, key };
  }

  /** A new secret of a key, and what is stored of it. */
  newSecret(keyId: string, number: number, now: Date): { secret: string; stored: NewSecret } {
    const secret = generateSecret('api_key', randomBytes, this.config.cell);
    return {
      secret,
      stored: {
        digest: digestSecret(secret),
        keyId,
        number,
        maskedSecret: maskSecret(secret),
        createdAt: now,
      },
    };
  }
}

function toKey(input: NewApiKey): ApiKey {
  const now = new Date();
  return {
    id: newKeyId(input.accountId, randomUUID()),
    accountId: input.accountId,
    serviceAccountId: input.serviceAccountId ?? null,
    parentKeyIds: input.parentKeyIds ? [...input.parentKeyIds] : null,
    name: input.name,
    permissions: storedPermissions(input.permissions),
    allowedIps: input.allowedIps ? storedAllowedIps(input.allowedIps) : null,
    expiresAt: futureTime(input.expiresAt ?? null, now),
    requestsPerMinute: input.requestsPerMinute ?? null,
    requestsPerSecond: input.requestsPerSecond ?? null,
    requestsPerDay: input.requestsPerDay ?? null,
    thirdPartyDisableAllowed: input.thirdPartyDisableAllowed ?? null,
    disableReason: null,
    disabledAt: null,
    disabledByCustomer: false,
    deletedAt: null,
    removedAt: null,
    managedBy: input.managedBy ?? null,
    tags: storedTags(input.tags ?? []),
    externalId: input.externalId ?? null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** Permissions as they are stored: known names in the order of the table, or null for all. */
export function storedPermissions(input: readonly string[] | 'all'): string[] | null {
  requireValid('permissions', input, checkPermissions);
  const parsed = parsePermissions(input);
  return parsed.ok ? parsed.permissions : [];
}

/** Tags as they are stored: each once, in order. */
export function storedTags(input: readonly string[]): string[] {
  requireValid('tags', input, checkTags);
  return canonicalTags(input);
}

/** @throws DomainError `external_id_in_use` when another key of the account has it */
export async function requireFreeExternalId(
  keys: ApiKeyRepository,
  key: { id: string; accountId: string; externalId: string },
  em: EntityManager,
): Promise<void> {
  const { externalId } = key;
  if (await keys.hasExternalId(key, em))
    throw new DomainError(
      'external_id_in_use',
      { resource: 'key of the account', externalId },
      { param: 'external_id' },
    );
}

/** An allow-list as it is stored: canonical and merged. */
function storedAllowedIps(input: readonly string[]): string[] {
  requireValid('allowed_ips', input, checkAllowedIps);
  return parseAllowList(input).canonical;
}

/** An expiry that is still to come, or none. */
export function futureTime(expiresAt: Date | null, now: Date): Date | null {
  if (!expiresAt || expiresAt > now) return expiresAt;
  const accepted = `a time after ${now.toISOString()}, or null for a key that does not expire`;
  throw new InvalidInput([
    {
      type: 'time_in_past',
      path: ['expires_at'],
      msg: `Input should be ${accepted}`,
      input: expiresAt.toISOString(),
      ctx: { accepted },
    },
  ]);
}
