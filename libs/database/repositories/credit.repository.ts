import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CreditBalance } from '../entities/credit-balance.entity';

export interface ChargeRequest {
  keyId: string;
  accountId: string;
  /** Whole credits, 0 or more. */
  cost: number;
  operation: string;
  requestId: string;
}

export interface ChargeOutcome {
  outcome: 'charged' | 'repeated' | 'conflict' | 'refused' | 'again' | 'unknown';
  /** Whose limit refused, or would be reached first. */
  scope: 'key' | 'account';
  creditLimit: number | null;
  remaining: number | null;
  remainingOfKey: number | null;
  remainingOfAccount: number | null;
}

interface OutcomeRow {
  outcome: ChargeOutcome['outcome'];
  scope: ChargeOutcome['scope'];
  credit_limit: string | null;
  remaining: string | null;
  remaining_key: string | null;
  remaining_account: string | null;
}

@Injectable()
export class CreditRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Settles a batch of charges in one statement, in the order given. The outcomes are in the same order. */
  async settleCharges(
    batch: ChargeRequest[],
    em: EntityManager = this.dataSource.manager,
  ): Promise<ChargeOutcome[]> {
    const rows = await em.query<OutcomeRow[]>('SELECT * FROM settle_charges($1, $2, $3, $4, $5)', [
      batch.map((charge) => charge.keyId),
      batch.map((charge) => charge.accountId),
      batch.map((charge) => charge.cost),
      batch.map((charge) => charge.operation),
      batch.map((charge) => charge.requestId),
    ]);
    return rows.map((row) => ({
      outcome: row.outcome,
      scope: row.scope,
      creditLimit: toNumber(row.credit_limit),
      remaining: toNumber(row.remaining),
      remainingOfKey: toNumber(row.remaining_key),
      remainingOfAccount: toNumber(row.remaining_account),
    }));
  }

  /** Takes a charge back, once; returns the credits given back, 0 when there was nothing to refund. */
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

  /** Opens the balance of a new account; its billing periods are counted from now. */
  async openAccountBalance(accountId: string, creditLimit: number, em: EntityManager): Promise<void> {
    await em.query(
      `INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, period_anchor, period_start, period_end)
       SELECT $1, 'account', $1, $2, now(), p.period_start, p.period_end FROM billing_period(now(), now()) p`,
      [accountId, creditLimit],
    );
  }

  /** Opens the balance of a new key, on its account's billing periods. `creditLimit` null: no limit of its own. */
  async openKeyBalance(
    keyId: string,
    accountId: string,
    creditLimit: number | null,
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, period_anchor, period_start, period_end)
       SELECT $1, 'key', $2, $3, a.period_anchor, p.period_start, p.period_end
       FROM credit_balance a, billing_period(a.period_anchor, now()) p WHERE a.subject_id = $2`,
      [keyId, accountId, creditLimit],
    );
  }

  /** The balance of an account or key as stored (a period that has ended is rolled over by the next movement). */
  async findBalance(
    subjectId: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<CreditBalance | null> {
    return em.findOneBy(CreditBalance, { subjectId });
  }
}

function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text);
}
