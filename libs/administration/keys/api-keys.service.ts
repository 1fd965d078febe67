import { AppConfig } from '@app/config/app-config';
import { CreditBalances } from '@app/credits/credit-balances';
import type { ApiKey } from '@app/database/keys/api-key.entity';
import { ApiKeyRepository, type NewSecret } from '@app/database/keys/api-key.repository';
import { digestSecret, generateSecret, maskSecret } from '@app/domain/keys/api-key-secret';
import { NO_SETTINGS, type KeyInput, type KeySettings } from '@app/domain/keys/key-fields';
import { toStored } from '@app/domain/keys/key-settings';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomBytes, randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { newKeyId } from '@app/domain/common/cell';
import { DomainError } from '@app/domain/errors';

/** A new key: its settings, and whose it is. A setting that is left out is null, or empty. */
export type NewApiKey = Partial<KeyInput> &
  Pick<KeyInput, 'name' | 'permissions'> & {
    accountId: string;
    serviceAccountId?: string | null;
    /** The key that creates it and that key's parent keys, see `ApiKey.makerIds`; null for staff. */
    parentKeyIds?: readonly string[] | null;
    /** The file of keys that manages it. */
    managedBy?: string | null;
  };

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
    const { creditLimit, ...key } = toKey(input);
    const { secret, stored } = this.newSecret(key.id, 1, key.createdAt);
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

function toKey(input: NewApiKey): ApiKey & Pick<KeySettings, 'creditLimit'> {
  const now = new Date();
  return {
    ...NO_SETTINGS,
    ...toStored(input, now),
    id: newKeyId(input.accountId, randomUUID()),
    accountId: input.accountId,
    serviceAccountId: input.serviceAccountId ?? null,
    parentKeyIds: input.parentKeyIds ? [...input.parentKeyIds] : null,
    disableReason: null,
    disabledAt: null,
    disabledByCustomer: false,
    deletedAt: null,
    removedAt: null,
    managedBy: input.managedBy ?? null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
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
