import { compileAllowList } from '@app/domain/allow-list';
import type { VerifiableKey } from '@app/domain/key-decision';
import { compilePermissions } from '@app/domain/permissions';
import type { Tier } from '@app/domain/tiers';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountStatus } from '../entities/account.entity';
import { ApiKeySecret } from '../entities/api-key-secret.entity';
import { ApiKey } from '../entities/api-key.entity';

/** A key with its account, as it is stored. */
interface StoredKey {
  keyId: string;
  accountId: string;
  permissions: string[] | null;
  allowedIps: string[] | null;
  expiresAt: Date | null;
  disableReason: string | null;
  version: number;
  accountStatus: AccountStatus;
  tier: Tier;
}

@Injectable()
export class ApiKeyRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores a new key with its first secret. */
  async insert(
    key: ApiKey,
    secret: ApiKeySecret,
    em: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await em.insert(ApiKey, key);
    await em.insert(ApiKeySecret, secret);
  }

  /** The key a secret belongs to, whatever its state; null when no key has this secret. One indexed read. */
  async findByDigest(
    digest: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<VerifiableKey | null> {
    const rows = await em.query<StoredKey[]>(
      `SELECT k.id AS "keyId", k.account_id AS "accountId", k.permissions, k.allowed_ips AS "allowedIps",
              k.expires_at AS "expiresAt", k.disable_reason AS "disableReason", k.version::int AS version, a.status AS "accountStatus", a.tier
       FROM api_key_secret s JOIN api_key k ON k.id = s.key_id JOIN account a ON a.id = k.account_id
       WHERE s.digest = $1`,
      [digest],
    );
    return rows[0] ? compile(rows[0]) : null;
  }
}

function compile({ permissions, allowedIps, expiresAt, ...key }: StoredKey): VerifiableKey {
  return {
    ...key,
    permissions: compilePermissions(permissions),
    allowList: allowedIps === null ? null : compileAllowList(allowedIps),
    expiresAtMs: expiresAt?.getTime() ?? null,
  };
}
