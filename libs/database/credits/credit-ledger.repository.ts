import type { DaySpending } from '@app/domain/dry-runs/limit-dry-run';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CreditBalanceHistory } from './credit-balance-history.entity';
import { CreditLedgerLine, type LedgerKind } from './credit-ledger-line.entity';
import { PAYERS } from './credit.repository';

/** Filters of the ledger of an account. All must hold. */
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
  /** Without holds that have ended and their ends, which add up to nothing. */
  folded?: boolean;
}

/** Credits of an account or a key now, by database time. */
export interface CurrentCredits {
  subjectId: string;
  subject: 'account' | 'key';
  /** Per billing period; null for no separate limit. */
  creditLimit: number | null;
  /** Beyond the limit, in this period. */
  granted: number;
  /** With what is held. */
  used: number;
  held: number;
  periodStart: Date;
  periodEnd: Date;
  /** Left of the prepaid grants of an account: used behind what the period has. */
  prepaid: number;
  /** What charges of this period took of prepaid grants: a part of `granted`. */
  prepaidUsed: number;
}

/** The columns of CurrentCredits, of the view `current_credits` under the name `c`. */
export const CURRENT_CREDITS = `c.subject_id AS "subjectId", c.subject, c.credit_limit::float8 AS "creditLimit",
  c.granted::float8 AS granted, c.used::float8 AS used, c.held::float8 AS held,
  c.period_start AS "periodStart", c.period_end AS "periodEnd", c.prepaid::float8 AS prepaid,
  c.prepaid_used::float8 AS "prepaidUsed"`;

/** What the ledger no longer has of an account. */
export interface ArchivedLines {
  lines: number;
  newestPeriod: Date;
}

/** Credits of an account that do not end with its billing period. */
export interface PrepaidGrant {
  id: string;
  amount: number;
  /** What no charge has taken and staff have not taken back. */
  remaining: number;
  /** What staff have taken back. */
  revoked: number;
  /** Null for no end. */
  endsAt: Date | null;
  reason: string | null;
  grantedBy: string;
  createdAt: Date;
  revokedBy: string | null;
  revokedAt: Date | null;
  /** Whether charges can take what remains. */
  isLive: boolean;
}

/** The prepaid grants of an account `$1`, under the name `g`; under `v` those that charges can take of. */
const PREPAID_GRANTS = `SELECT g.id, g.amount::float8 AS amount, g.remaining::float8 AS remaining, g.revoked::float8 AS revoked,
  g.ends_at AS "endsAt", g.reason, g.granted_by AS "grantedBy", g.created_at AS "createdAt", g.revoked_by AS "revokedBy",
  g.revoked_at AS "revokedAt", v.id IS NOT NULL AS "isLive"
  FROM prepaid_grant g LEFT JOIN live_prepaid_grants($1) v ON v.id = g.id WHERE g.account_id = $1`;

/** Credits of a key, with its name. */
export interface KeyCredits extends CurrentCredits {
  name: string;
}

/** The index has the id of a line without 16 bits, as an integer. */
export function isLineId(text: unknown): text is string {
  return typeof text === 'string' && /^\d{1,14}$/.test(text);
}

/** Reads the ledger and the balances. CreditRepository writes them, for libs/credits. */
@Injectable()
export class CreditLedgerRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Lines, newest first, before an id. */
  async list(filter: LedgerFilter, beforeId: string | null, limit: number): Promise<CreditLedgerLine[]> {
    // The order of the index of an account's lines, which has blocks of ids, and then of the ids in a block.
    const query = this.filtered(filter)
      .orderBy('(l.id >> 16)::int', 'DESC')
      .addOrderBy('l.id', 'DESC')
      .limit(limit);
    if (beforeId !== null)
      query.andWhere('l.id < :beforeId AND (l.id >> 16)::int <= (:beforeId::bigint >> 16)::int', {
        beforeId,
      });
    return query.getMany();
  }

  /** A line of an account; an id is any text. */
  async find(accountId: string, id: string, em: EntityManager): Promise<CreditLedgerLine | null> {
    if (!isLineId(id)) return null;
    return em
      .createQueryBuilder(CreditLedgerLine, 'l')
      .where('l.accountId = :accountId AND l.id = :id', { accountId, id })
      .andWhere('(l.id >> 16)::int = (:id::bigint >> 16)::int')
      .getOne();
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

  /**
   * What counted for a key on each day, and in which billing period: its own charges and those of keys that it has created.
   * From the beginning of the billing period that `since` lies in.
   */
  async listSpending(keyId: string, since: Date): Promise<DaySpending[]> {
    return this.dataSource.query<DaySpending[]>(
      `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, period_start AS "periodStart",
         sum(amount)::float8 AS credits
       FROM credit_ledger
       WHERE key_id = ANY (ARRAY(SELECT $1::uuid UNION ALL SELECT id FROM api_key WHERE maker_ids @> ARRAY[$1::uuid]))
         AND (key_id = $1 OR maker_ids @> ARRAY[$1::uuid]) AND kind <> 'grant'
         AND period_start > $2::timestamptz - interval '32 days'
       GROUP BY 1, 2`,
      [keyId, since],
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

  /** Prepaid grants of an account: those that charges can take of in their order, then the others, the newest first. */
  async listPrepaid(
    accountId: string,
    limit: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<PrepaidGrant[]> {
    return em.query<PrepaidGrant[]>(
      `${PREPAID_GRANTS} ORDER BY v.id IS NULL, v.ends_at, v.created_at, g.created_at DESC, g.id LIMIT $2`,
      [accountId, limit],
    );
  }

  /** A prepaid grant of an account; an id is any text. */
  async findPrepaid(accountId: string, id: string, em: EntityManager): Promise<PrepaidGrant | null> {
    if (!isUuid(id)) return null;
    const [grant] = await em.query<PrepaidGrant[]>(`${PREPAID_GRANTS} AND g.id = $2`, [accountId, id]);
    return grant ?? null;
  }

  /** Lines of an account that are in files instead of the ledger, and the start of their newest period; null for none. */
  async findArchived(accountId: string): Promise<ArchivedLines | null> {
    const [row] = await this.dataSource.query<ArchivedLines[]>(
      `SELECT lines, "newestPeriod" FROM (
         SELECT sum(lines)::float8 AS lines, max(period_start) AS "newestPeriod" FROM ledger_closing WHERE subject_id = $1
       ) a WHERE lines IS NOT NULL`,
      [accountId],
    );
    return row ?? null;
  }

  /** Every balance that a key draws on: its own, its parent keys', its account's. */
  async listPayers(
    keyId: string,
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<CurrentCredits[]> {
    return em.query<CurrentCredits[]>(
      `SELECT ${CURRENT_CREDITS} FROM current_credits c WHERE c.subject_id = ANY (${PAYERS})
       ORDER BY array_position(${PAYERS}, c.subject_id)`,
      [keyId, accountId],
    );
  }

  /** What an account or key has now; null for an unknown one. */
  async findCurrent(
    subjectId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<CurrentCredits | null> {
    const rows = await em.query<CurrentCredits[]>(
      `SELECT ${CURRENT_CREDITS} FROM current_credits c WHERE c.subject_id = $1`,
      [subjectId],
    );
    return rows[0] ?? null;
  }

  private filtered({ accountId, keyId, kind, operation, period, from, to, folded }: LedgerFilter) {
    const query = this.dataSource.manager
      .createQueryBuilder(CreditLedgerLine, 'l')
      .where('l.account_id = :accountId', { accountId });
    if (keyId !== undefined) query.andWhere('l.key_id = :keyId', { keyId });
    if (kind !== undefined) query.andWhere('l.kind = :kind', { kind });
    if (operation !== undefined) query.andWhere('l.operation = :operation', { operation });
    if (period) query.andWhere(`date_trunc('milliseconds', l.period_start) = :period`, { period });
    if (from) query.andWhere('l.created_at >= :from', { from });
    if (to) query.andWhere('l.created_at < :to', { to });
    if (folded)
      query.andWhere(`(l.kind NOT IN ('hold', 'release') OR l.kind = 'hold' AND EXISTS (
        SELECT FROM credit_hold h WHERE h.account_id = l.account_id AND h.request_id = l.request_id))`);
    return query;
  }
}
