import type { ApiKey } from '@app/database/entities/api-key.entity';
import { ApiKeyRepository } from '@app/database/repositories/api-key.repository';
import { CreditRepository } from '@app/database/repositories/credit.repository';
import { parseAllowList } from '@app/domain/allow-list';
import { digestSecret, generateSecret, hintOf } from '@app/domain/api-key-secret';
import { DomainError } from '@app/domain/errors';
import { parsePermissions } from '@app/domain/permissions';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomBytes, randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';

export interface NewApiKey {
  accountId: string;
  name: string;
  permissions: readonly string[] | 'all';
  /** Credits per billing period, or null for the account's limit only. */
  creditLimit?: number | null;
  /** Addresses and CIDRs, or null for any address. */
  allowedIps?: readonly string[] | null;
  expiresAt?: Date | null;
}

export interface IssuedApiKey {
  keyId: string;
  /** Shown once: only its digest is kept. */
  secret: string;
}

@Injectable()
export class ApiKeysService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly keys: ApiKeyRepository,
    private readonly credits: CreditRepository,
  ) {}

  /**
   * Issues a key with its first secret.
   *
   * @throws DomainError `invalid_parameters` naming everything that is not accepted
   */
  async create(input: NewApiKey, em?: EntityManager): Promise<IssuedApiKey> {
    if (!em) return this.dataSource.transaction((transaction) => this.create(input, transaction));
    const key = this.toKey(input);
    const secret = generateSecret('api_key', randomBytes);
    await this.keys.insert(
      key,
      { digest: digestSecret(secret), keyId: key.id, hint: hintOf(secret), createdAt: key.createdAt },
      em,
    );
    await this.credits.openKeyBalance(key.id, key.accountId, checkCreditLimit(input.creditLimit ?? null), em);
    return { keyId: key.id, secret };
  }

  private toKey(input: NewApiKey): ApiKey {
    const now = new Date();
    return {
      id: randomUUID(),
      accountId: input.accountId,
      name: input.name,
      permissions: checkPermissions(input.permissions),
      allowedIps: input.allowedIps ? checkAllowedIps(input.allowedIps) : null,
      expiresAt: checkExpiry(input.expiresAt ?? null, now),
      disableReason: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
  }
}

function refuse(param: string, reason: string): DomainError {
  return new DomainError('invalid_parameters', { reason: `${param}: ${reason}` }, { param });
}

function checkPermissions(given: readonly string[] | 'all'): string[] | null {
  const parsed = parsePermissions(given);
  if (parsed.ok) return parsed.permissions;
  throw refuse('permissions', parsed.problems.map((problem) => problem.message).join(' '));
}

function checkAllowedIps(entries: readonly string[]): string[] {
  const parsed = parseAllowList(entries);
  if (parsed.problems.length === 0) return parsed.canonical;
  throw refuse('allowed_ips', parsed.problems.map((problem) => problem.message).join(' '));
}

function checkCreditLimit(limit: number | null): number | null {
  if (limit === null || (Number.isSafeInteger(limit) && limit >= 0)) return limit;
  throw refuse(
    'credit_limit',
    `${limit} is not a whole number of credits from 0 to ${Number.MAX_SAFE_INTEGER}.`,
  );
}

function checkExpiry(expiresAt: Date | null, now: Date): Date | null {
  if (!expiresAt || expiresAt > now) return expiresAt;
  throw refuse('expires_at', `${expiresAt.toISOString()} is in the past; it is ${now.toISOString()} now.`);
}
