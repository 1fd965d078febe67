import type { AdjustmentKind } from '@app/domain/credits/credit-adjustment';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CreditBalanceHistory } from './credit-balance-history.entity';
import { CreditLedgerLine, type LedgerKind } from './credit-ledger-line.entity';
import { CURRENT_CREDITS, type CurrentCredits } from './credit.repository';

/** What the ledger of an account is narrowed to. Everything that is given must hold. */
export interface LedgerFilter {
  accountId: string;
  keyId?: string;
  kind?: LedgerKind;
  operation?: string;
  /** Start of a billing period, to the millisecond. */
  period?: Date;
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
}

/** An adjustment by staff; positive amounts give credits. */
interface Adjustment {
  accountId: string;
  keyId: string | null;
  kind: AdjustmentKind;
  amount: number;
  requestId: string;
  actor: string;
}

/** Credits of a key, with its name. */
export interface KeyCredits extends CurrentCredits {
  name: string;
}

@Injectable()
export class CreditLedgerRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Lines, newest first, before an id. */
  async list(filter: LedgerFilter, beforeId: string | null, limit: number): Promise<CreditLedgerLine[]> {
    const query = this.filtered(filter).orderBy('l.id', 'DESC').limit(limit);
    if (beforeId !== null) query.andWhere('l.id < :beforeId', { beforeId });
    return query.getMany();
  }

  async count(filter: LedgerFilter): Promise<number> {
    return this.filtered(filter).getCount();
  }

  /** The current credits of the keys that have used most, of those that are not deleted. */
  async listKeys(accountId: string, limit: number): Promise<KeyCredits[]> {
    return this.dataSource.query<KeyCredits[]>(
      `SELECT ${CURRENT_CREDITS}, k.name FROM current_credits c JOIN api_key k ON k.id = c.subject_id
       WHERE c.account_id = $1 AND c.subject = 'key' AND k.deleted_at IS NULL
       ORDER BY c.used DESC, k.created_at, k.id LIMIT $2`,
      [accountId, limit],
    );
  }

  /** Periods of an account that have ended, newest first. */
  async listPeriods(accountId: string, limit: number): Promise<CreditBalanceHistory[]> {
    return this.dataSource.manager.find(CreditBalanceHistory, {
      where: { subjectId: accountId },
      order: { periodStart: 'DESC' },
      take: limit,
    });
  }

  /** Writes an adjustment into the current period. The caller holds the locks, see `CreditRepository.lock`. */
  async move(
    { accountId, keyId, kind, amount, requestId, actor }: Adjustment,
    em: EntityManager,
  ): Promise<void> {
    const column = kind === 'grant' ? 'granted = granted + $2' : 'used = used - $2';
    await em.query(
      `WITH makers AS (
         SELECT k.maker_ids AS ids FROM credit_balance k WHERE k.subject_id = $3
       ), moved AS (
         UPDATE credit_balance SET ${column}::bigint
         WHERE subject_id = ANY (ARRAY[$1, $3]::uuid[] || (SELECT ids FROM makers))
       )
       INSERT INTO credit_ledger (account_id, key_id, maker_ids, period_start, kind, amount, operation, request_id, actor)
       SELECT $1, $3, (SELECT ids FROM makers), b.period_start, $4, -$2::bigint, $4, $5, $6
       FROM credit_balance b WHERE b.subject_id = $1`,
      [accountId, amount, keyId, kind, requestId, actor],
    );
  }

  private filtered({ accountId, keyId, kind, operation, period, from, to }: LedgerFilter) {
    const query = this.dataSource.manager
      .createQueryBuilder(CreditLedgerLine, 'l')
      .where('l.account_id = :accountId', { accountId });
    if (keyId !== undefined) query.andWhere('l.key_id = :keyId', { keyId });
    if (kind !== undefined) query.andWhere('l.kind = :kind', { kind });
    if (operation !== undefined) query.andWhere('l.operation = :operation', { operation });
    if (period) query.andWhere(`date_trunc('milliseconds', l.period_start) = :period`, { period });
    if (from) query.andWhere('l.created_at >= :from', { from });
    if (to) query.andWhere('l.created_at < :to', { to });
    return query;
  }
}
