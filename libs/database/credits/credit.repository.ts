import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { queryPrepared } from '../common/prepared-statement';

export interface ChargeRequest {
  keyId: string;
  accountId: string;
  /** Whole credits, 0 or more. */
  cost: number;
  operation: string;
  requestId: string;
  /** Sets the credits aside for so long instead of charging them for good. */
  holdSecs?: number;
}

export interface ChargeOutcome {
  outcome: 'charged' | 'repeated' | 'conflict' | 'refused' | 'again' | 'unknown';
  /** Whose limit refused, or would be reached first. */
  scope: 'key' | 'account';
  creditLimit: number | null;
  remaining: number | null;
  remainingOfKey: number | null;
  remainingOfAccount: number | null;
  /** Until when the credits are set aside; null for a charge. */
  heldUntil: Date | null;
}

/** How a hold was ended, and the credits that it had set aside; null when there was no such hold. */
export interface HoldOutcome {
  outcome: 'ended' | 'repeated' | 'conflict' | 'exceeded' | 'unknown';
  held: number | null;
}

/** Credits of an account or a key now, by database time. */
export interface CurrentCredits {
  subjectId: string;
  subject: 'account' | 'key';
  /** Per billing period; null for no limit of its own. */
  creditLimit: number | null;
  /** Beyond the limit, in this period. */
  granted: number;
  /** With what is held. */
  used: number;
  held: number;
  periodStart: Date;
  periodEnd: Date;
}

/** The columns of CurrentCredits, of the view `current_credits` under the name `c`. */
export const CURRENT_CREDITS = `c.subject_id AS "subjectId", c.subject, c.credit_limit::float8 AS "creditLimit",
  c.granted::float8 AS granted, c.used::float8 AS used, c.held::float8 AS held,
  c.period_start AS "periodStart", c.period_end AS "periodEnd"`;

/** A key, its makers and its account, in SQL: the key is `$1`, the account `$2`. */
const PAYERS = `ARRAY[$1::uuid] || (SELECT k.maker_ids FROM credit_balance k WHERE k.subject_id = $1) || $2::uuid`;

const SETTLE = {
  name: 'settle_credits',
  text: `SELECT outcome, scope, credit_limit, remaining, remaining_key, remaining_account, held_until
    FROM settle_credits($1, $2, $3, $4, $5, $6)`,
  rowMode: 'array' as const,
};

type OutcomeRow = [
  outcome: ChargeOutcome['outcome'],
  scope: ChargeOutcome['scope'],
  creditLimit: string | null,
  remaining: string | null,
  remainingOfKey: string | null,
  remainingOfAccount: string | null,
  heldUntil: Date | null,
];

@Injectable()
export class CreditRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Settles a batch of charges in one statement, in the order given. The outcomes are in the same order. Prepared: it is
   * run for every charge there is.
   */
  async settleCharges(batch: ChargeRequest[]): Promise<ChargeOutcome[]> {
    const rows = await queryPrepared<OutcomeRow>(this.dataSource, SETTLE, [
      batch.map((charge) => charge.keyId),
      batch.map((charge) => charge.accountId),
      batch.map((charge) => charge.cost),
      batch.map((charge) => charge.operation),
      batch.map((charge) => charge.requestId),
      batch.map((charge) => charge.holdSecs ?? null),
    ]);
    return rows.map(([outcome, scope, creditLimit, remaining, ofKey, ofAccount, heldUntil]) => ({
      outcome,
      scope,
      creditLimit: toNumber(creditLimit),
      remaining: toNumber(remaining),
      remainingOfKey: toNumber(ofKey),
      remainingOfAccount: toNumber(ofAccount),
      heldUntil,
    }));
  }

  /** Refunds a charge, once; returns the credits, 0 when there was nothing to refund. */
  async refundCharge(
    accountId: string,
    requestId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<number> {
    const rows = await em.query<{ refunded: string }[]>('SELECT refund_charge($1, $2) AS refunded', [
      accountId,
      requestId,
    ]);
    return Number(rows[0]?.refunded ?? 0);
  }

  /** Ends a hold: charges `cost` of it, or nothing when that is null. */
  async endHold(
    accountId: string,
    requestId: string,
    cost: number | null,
    em: EntityManager = this.dataSource.manager,
  ): Promise<HoldOutcome> {
    const [row] = await em.query<{ outcome: HoldOutcome['outcome']; held: string | null }[]>(
      'SELECT * FROM end_hold($1, $2, $3)',
      [accountId, requestId, cost],
    );
    return { outcome: row!.outcome, held: toNumber(row!.held) };
  }

  /** Ends the holds whose deadline has passed, of at most `accounts` accounts; returns how many accounts had some. */
  async endLapsedHolds(accounts: number, em: EntityManager = this.dataSource.manager): Promise<number> {
    const rows = await em.query<{ account_id: string }[]>(
      'SELECT DISTINCT account_id FROM credit_hold WHERE deadline <= now() LIMIT $1',
      [accounts],
    );
    // One by one: no account waits for the locks of another.
    for (const { account_id: accountId } of rows) await this.lock([], [accountId], em);
    return rows.length;
  }

  /** Locks balances until the transaction ends, moved into the current period and without holds that are over. */
  async lock(keyIds: string[], accountIds: string[], em: EntityManager): Promise<void> {
    await em.query('SELECT lock_balances($1, $2)', [keyIds, accountIds]);
  }

  /** Opens the balance of a new account; its billing periods are counted from now. */
  async openAccountBalance(accountId: string, creditLimit: number, em: EntityManager): Promise<void> {
    await em.query(
      `INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, period_anchor, period_start, period_end)
       SELECT $1, 'account', $1, $2, now(), p.period_start, p.period_end FROM billing_period(now(), now()) p`,
      [accountId, creditLimit],
    );
  }

  /**
   * Opens the balance of a new key, on its account's billing periods. `creditLimit` null: no limit of its own. What the key
   * spends counts for its makers too.
   */
  async openKeyBalance(
    keyId: string,
    accountId: string,
    creditLimit: number | null,
    em: EntityManager,
    makerIds: readonly string[] | null = null,
  ): Promise<void> {
    await em.query(
      `INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, maker_ids, period_anchor, period_start, period_end)
       SELECT $1, 'key', $2, $3, $4, a.period_anchor, p.period_start, p.period_end
       FROM credit_balance a, billing_period(a.period_anchor, now()) p WHERE a.subject_id = $2`,
      [keyId, accountId, creditLimit, makerIds],
    );
  }

  /** Every balance that a key draws on: its own, its makers', its account's. */
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

  /** The credits that are left to a key: the least of its own, its makers' and its account's; null without any limit. */
  async findRemaining(
    keyId: string,
    accountId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<number | null> {
    const rows = await em.query<{ remaining: number | null }[]>(
      `SELECT min(greatest(0, c.credit_limit + c.granted - c.used))::float8 AS remaining
       FROM current_credits c WHERE c.subject_id = ANY (${PAYERS})`,
      [keyId, accountId],
    );
    return rows[0]?.remaining ?? null;
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
}

function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text);
}
