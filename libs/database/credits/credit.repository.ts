import type { AdjustmentKind } from '@app/domain/credits/credit-adjustment';
import type { BudgetWindow, SpentBudget } from '@app/domain/credits/budget';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { queryPrepared } from '../common/prepared-statement';
import { isRowFailure } from '../common/row-failure';
import { gatherReads } from '../common/gathered-reads';
import { valuesOfCharges, type ChargesOfKey } from './budget.repository';
import { packCharges, type ChargeRequest } from './packed-charges';

export type { ChargeRequest };

export interface ChargeOutcome {
  outcome: 'charged' | 'repeated' | 'conflict' | 'refused' | 'again' | 'unknown';
  /** Whose limit refused. */
  scope: 'key' | 'account' | 'budget';
  /** Of the one that refused. */
  creditLimit: number | null;
  remaining: number | null;
  /** The least that the key, one of its parent keys, the account or a budget has left; null without any limit. */
  leftOver: number | null;
  /** Until when the credits are set aside; null for a charge. */
  heldUntil: Date | null;
  /** For whom the charge may have counted too: the parent keys of the key, budgets or prepaid credits of its account; null for none of them. */
  morePayers: 'makers' | 'budgets' | 'prepaid' | null;
  /** The budget that refused; null unless one did. */
  budget: SpentBudget | null;
}

/** Credits that are set aside for a request. */
export interface CreditHold {
  accountId: string;
  keyId: string;
  requestId: string;
  operation: string;
  endUser: string | null;
  amount: number;
}

/** Of `credit_hold h`. */
const HOLD = `h.account_id AS "accountId", h.key_id AS "keyId", h.request_id AS "requestId", h.operation,
  h.end_user AS "endUser", h.amount::float8 AS amount`;

/** How a hold was ended, and the credits that it had set aside; null when no such hold exists. */
export interface HoldOutcome {
  outcome: 'ended' | 'repeated' | 'conflict' | 'exceeded' | 'unknown';
  held: number | null;
}

/** What a key can still use. */
export interface RemainingCredits {
  /** Null without any limit. */
  remaining: number | null;
  hasBudgets: boolean;
}

/** What an account or key may use per billing period; null for no limit. */
export interface CreditLimit {
  subjectId: string;
  creditLimit: number | null;
}

/** An adjustment by staff; positive amounts give credits. */
export interface Adjustment {
  accountId: string;
  keyId: string | null;
  kind: AdjustmentKind;
  amount: number;
  requestId: string;
  actor: string;
}

/** Credits that do not end with the billing period. */
export interface NewPrepaidGrant {
  id: string;
  accountId: string;
  amount: number;
  /** Null for no end. */
  endsAt: Date | null;
  reason: string | null;
  actor: string;
}

/** A key, its parent keys and its account, in SQL: the key is `$1`, the account `$2`. */
export const PAYERS = `ARRAY[$1::uuid] || (SELECT k.maker_ids FROM credit_balance k WHERE k.subject_id = $1) || $2::uuid`;

const CHARGE = {
  name: 'charge_batch',
  text: 'SELECT left_to_accounts, left_to_keys FROM charge_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
  rowMode: 'array' as const,
};

const CHARGE_BUDGETED = {
  name: 'charge_budgeted_batch',
  text: 'SELECT charge_budgeted_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
  rowMode: 'array' as const,
};

/** What each balance has left, as the driver reads bigint[]; null when the batch was not charged. */
type LeftRow = [leftToAccounts: (string | null)[] | null, leftToKeys: (string | null)[] | null];

const SETTLE = settlement('settle_batch');
const SETTLE_PATIENTLY = settlement('settle_credits');

function settlement(name: string) {
  const columns = `outcome, scope, credit_limit, remaining, left_over, held_until, more_payers,
    budget_name, budget_window, renews_at`;
  return {
    name,
    text: `SELECT ${columns} FROM ${name}($1, $2, $3, $4, $5, $6, $7)`,
    rowMode: 'array' as const,
  };
}

type OutcomeRow = [
  outcome: ChargeOutcome['outcome'],
  scope: ChargeOutcome['scope'],
  creditLimit: string | null,
  remaining: string | null,
  leftOver: string | null,
  heldUntil: Date | null,
  morePayers: ChargeOutcome['morePayers'],
  budgetName: string | null,
  budgetWindow: BudgetWindow | null,
  renewsAt: Date | null,
];

/** Reads of what is left that are under way: those that come meanwhile go together. */
const READS_AT_A_TIME = 2;

/**
 * What is left for charges of keys `$1` of accounts `$2`, in their order, from the two rows of each; null for no limit. Whether that
 * is all: not with budgets, parent keys, a hold to be released, or a period that has ended.
 */
const REMAINING_OF_PAIRS = {
  name: 'remaining_of_pairs',
  text: `SELECT CASE WHEN a.credit_limit IS NOT NULL OR k.credit_limit IS NOT NULL THEN greatest(0, least(
        CASE WHEN a.has_prepaid THEN credits_at_hand(a.credit_limit, a.granted, a.used, prepaid_left(a.subject_id))
          ELSE credits_left(a.credit_limit, a.granted, a.used) END,
        credits_left(k.credit_limit, k.granted, k.used)))::float8 END AS remaining,
      coalesce(a.period_end > now() AND k.period_end > now() AND k.maker_ids IS NULL AND NOT a.has_budgets
        AND NOT EXISTS (SELECT FROM credit_hold h WHERE h.account_id = a.subject_id AND h.deadline <= now() OFFSET 0), false) AS "isAll"
    FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS r (key_id, account_id, pos)
    LEFT JOIN credit_balance k ON k.subject_id = r.key_id
    LEFT JOIN credit_balance a ON a.subject_id = r.account_id ORDER BY r.pos`,
};

/** The same for all others, of end users `$3` for operations `$4`: with budgets and parent keys, in the period that it is now. */
const REMAINING = {
  name: 'remaining',
  text: `SELECT p.remaining, p."hasBudgets" FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])
      WITH ORDINALITY AS r (key_id, account_id, end_user, operation, pos)
    CROSS JOIN LATERAL (
      SELECT ARRAY[r.key_id] || (SELECT k.maker_ids FROM credit_balance k WHERE k.subject_id = r.key_id) AS keys OFFSET 0
    ) k
    CROSS JOIN LATERAL (
      SELECT (min(greatest(0, p.credits_left)) FILTER (WHERE p.credits_left IS NOT NULL))::float8 AS remaining,
        coalesce(bool_or(p.is_budget), false) AS "hasBudgets" FROM (
        SELECT credits_at_hand(c.credit_limit, c.granted, c.used, c.prepaid) AS credits_left, false AS is_budget
        FROM current_credits c WHERE c.subject_id = ANY (k.keys || r.account_id)
        UNION ALL
        SELECT credits_left(c.amount, 0, c.used), true FROM current_budgets(r.account_id, r.end_user) c
        JOIN budgets_of(r.account_id, k.keys, r.end_user, r.operation) t ON t.id = c.id
        WHERE (SELECT a.has_budgets FROM credit_balance a WHERE a.subject_id = r.account_id)
      ) p
    ) p ORDER BY r.pos`,
};

/** Writes balances, holds and the ledger. Only libs/credits uses it. */
@Injectable()
export class CreditRepository {
  private readonly readRemaining = gatherReads((names) => this.listRemaining(names), READS_AT_A_TIME);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Charges a batch without holds, all of it or nothing.
   *
   * @returns what each key can use then, the least of its own and its account's credits, in the order of the input, null for no
   *   limit; or null when one of the charges may not be an ordinary one: nothing was charged, and `settleCharges` decides
   * @throws the driver's error, 55P03 when a balance is locked for longer than 300 ms
   */
  async chargeBatch(batch: ChargeRequest[]): Promise<(number | null)[] | null> {
    const packed = packCharges(batch);
    if (packed === null) return null;
    const [row] = await queryPrepared<LeftRow>(this.dataSource, CHARGE, packed.values);
    const [ofAccounts, ofKeys] = row!;
    if (ofAccounts === null || ofKeys === null) return null;
    const { accounts, keys } = packed;
    return batch.map(({ accountId, keyId }) =>
      least(toNumber(ofAccounts[accounts.get(accountId)! - 1]!), toNumber(ofKeys[keys.get(keyId)! - 1]!)),
    );
  }

  /**
   * The same for charges of accounts that have budgets.
   *
   * @returns what each charge leaves, the least of its account's, its key's and its budgets'; or null as `chargeBatch` does
   */
  async chargeBudgetedBatch(batch: ChargeRequest[]): Promise<(number | null)[] | null> {
    const packed = packCharges(batch);
    if (packed === null) return null;
    const [row] = await queryPrepared<[(string | null)[] | null]>(
      this.dataSource,
      CHARGE_BUDGETED,
      packed.values,
    );
    return row![0]?.map(toNumber) ?? null;
  }

  /**
   * Settles a batch of charges in one statement, in the order of the input, of every kind. The outcomes are in the same order.
   *
   * @param options.patient true waits for a locked balance as long as a statement may take, else 300 ms
   */
  async settleCharges(batch: ChargeRequest[], { patient = false } = {}): Promise<ChargeOutcome[]> {
    const rows = await queryPrepared<OutcomeRow>(this.dataSource, patient ? SETTLE_PATIENTLY : SETTLE, [
      batch.map((charge) => charge.keyId),
      batch.map((charge) => charge.accountId),
      batch.map((charge) => charge.cost),
      batch.map((charge) => charge.operation),
      batch.map((charge) => charge.requestId),
      batch.map((charge) => charge.holdSecs ?? null),
      batch.map((charge) => charge.endUser ?? null),
    ]);
    return rows.map(toOutcome);
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

  /** A hold that has not ended; null when there is none. */
  async findHold(accountId: string, requestId: string): Promise<CreditHold | null> {
    const [hold] = await this.dataSource.query<CreditHold[]>(
      `SELECT ${HOLD} FROM credit_hold h WHERE h.account_id = $1 AND h.request_id = $2`,
      [accountId, requestId],
    );
    return hold ?? null;
  }

  /** Holds of requests of ours, for some operations, that end within so many seconds, at most `limit` of them. */
  async listEndingHolds(
    operations: readonly string[],
    withinSecs: number,
    limit: number,
  ): Promise<CreditHold[]> {
    return this.dataSource.query<CreditHold[]>(
      `SELECT ${HOLD} FROM credit_hold h
       WHERE h.deadline BETWEEN now() AND now() + make_interval(secs => $2) AND h.operation = ANY ($1)
         AND h.request_id ~ '^[0-9a-f]{32}$'
       ORDER BY h.deadline LIMIT $3`,
      [operations, withinSecs, limit],
    );
  }

  /** Lets a hold end in so many seconds. One that has ended stays so. */
  async setHoldEnd(accountId: string, requestId: string, inSecs: number): Promise<void> {
    await this.dataSource.query(
      `UPDATE credit_hold SET deadline = now() + make_interval(secs => $3)
       WHERE account_id = $1 AND request_id = $2 AND deadline > now()`,
      [accountId, requestId, inSecs],
    );
  }

  /**
   * Ends the holds whose deadline has passed, of at most `accounts` accounts; returns how many accounts had some. Those of an
   * account that fails keep no other account's from being ended.
   *
   * @throws the first failure, when all accounts have been tried or the database is away
   */
  async endLapsedHolds(accounts: number): Promise<number> {
    const rows = await this.dataSource.query<{ account_id: string }[]>(
      'SELECT DISTINCT account_id FROM credit_hold WHERE deadline <= now() LIMIT $1',
      [accounts],
    );
    const failures: unknown[] = [];
    // One by one: no account waits for the locks of another.
    for (const { account_id: accountId } of rows)
      await this.lock([], [accountId], this.dataSource.manager).catch((error: unknown) => {
        if (!isRowFailure(error)) throw error;
        failures.push(error);
      });
    if (failures.length > 0) throw failures[0];
    return rows.length;
  }

  /** Locks balances until the transaction ends, moved into the current period and without holds that are over. */
  async lock(keyIds: string[], accountIds: string[], em: EntityManager): Promise<void> {
    await em.query('SELECT lock_balances($1, $2)', [keyIds, accountIds]);
  }

  /** The same for balances whose accounts the caller does not know. */
  private async lockWithAccounts(subjectIds: string[], em: EntityManager): Promise<void> {
    await em.query(
      `SELECT lock_balances($1, ARRAY(SELECT DISTINCT account_id FROM credit_balance WHERE subject_id = ANY ($1)))`,
      [subjectIds],
    );
  }

  /** Opens the balance of a new account; its billing periods are counted from `openedAt`, or from now. */
  async openAccountBalance(
    accountId: string,
    creditLimit: number,
    em: EntityManager,
    openedAt?: Date,
  ): Promise<void> {
    await em.query(
      `INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, period_anchor, period_start, period_end)
       SELECT $1, 'account', $1, $2, anchor, p.period_start, p.period_end
       FROM coalesce($3, now()) anchor, billing_period(anchor, now()) p`,
      [accountId, creditLimit, openedAt ?? null],
    );
  }

  /**
   * Opens the balance of a new key, on its account's billing periods. `creditLimit` null: no separate limit. What the key
   * spends counts for its parent keys too.
   */
  async openKeyBalance(
    keyId: string,
    accountId: string,
    creditLimit: number | null,
    em: EntityManager,
    parentKeyIds: readonly string[] | null = null,
  ): Promise<void> {
    await em.query(
      `INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, maker_ids, period_anchor, period_start, period_end)
       SELECT $1, 'key', $2, $3, $4, a.period_anchor, p.period_start, p.period_end
       FROM credit_balance a, billing_period(a.period_anchor, now()) p WHERE a.subject_id = $2`,
      [keyId, accountId, creditLimit, parentKeyIds],
    );
  }

  /** The same for many keys of an account that have no parent keys. */
  async openKeyBalances(
    accountId: string,
    keys: readonly { id: string; creditLimit: number | null }[],
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, period_anchor, period_start, period_end)
       SELECT k.id, 'key', a.subject_id, k.credit_limit, a.period_anchor, p.period_start, p.period_end
       FROM credit_balance a, billing_period(a.period_anchor, now()) p, unnest($2::uuid[], $3::bigint[]) AS k (id, credit_limit)
       WHERE a.subject_id = $1`,
      [accountId, keys.map(({ id }) => id), keys.map(({ creditLimit }) => creditLimit)],
    );
  }

  /**
   * Sets the credits that accounts or keys may use per billing period, from the current one on; null for no limit. Their accounts'
   * balances are locked as well, so that this deadlocks with no charge, in any order in which a transaction sets limits.
   */
  async setLimits(limits: readonly CreditLimit[], em: EntityManager): Promise<void> {
    const ids = limits.map(({ subjectId }) => subjectId);
    await this.lockWithAccounts(ids, em);
    await em.query(
      `UPDATE credit_balance b SET credit_limit = l.credit_limit
       FROM unnest($1::uuid[], $2::bigint[]) AS l (subject_id, credit_limit) WHERE b.subject_id = l.subject_id`,
      [ids, limits.map(({ creditLimit }) => creditLimit)],
    );
  }

  /** Freezes the balance of an account, see lock_balances, or ends that. */
  async setFrozen(accountId: string, frozen: boolean, em: EntityManager): Promise<void> {
    await em.query('UPDATE credit_balance SET frozen = $2 WHERE subject_id = $1', [accountId, frozen]);
  }

  /** The credits that an account or key may use per billing period; null for no limit. */
  async findLimit(subjectId: string, em: EntityManager): Promise<number | null> {
    const [row] = await em.query<{ limit: string | null }[]>(
      'SELECT credit_limit AS "limit" FROM credit_balance WHERE subject_id = $1',
      [subjectId],
    );
    return toNumber(row?.limit ?? null);
  }

  /** Detaches the balance of a key from the key's parent keys, and with it the balances of the keys that it has created. */
  async detachFromParentKeys(keyId: string, em: EntityManager): Promise<void> {
    await this.lockWithAccounts([keyId], em);
    await em.query(
      `UPDATE credit_balance b
       SET maker_ids = nullif(b.maker_ids[:coalesce(array_position(b.maker_ids, $1), 0)], '{}')
       WHERE b.subject_id IN (SELECT k.id FROM api_key k WHERE k.id = $1 OR k.maker_ids @> ARRAY[$1::uuid])`,
      [keyId],
    );
  }

  /** Notes whether an account has budgets, after one was added or removed. The caller holds the lock, see `lock`. */
  async noteBudgets(accountId: string, em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE credit_balance SET has_budgets = EXISTS (SELECT FROM budget WHERE account_id = $1) WHERE subject_id = $1`,
      [accountId],
    );
  }

  /** Writes an adjustment into the current period. The caller holds the locks, see `lock`. */
  async move(
    { accountId, keyId, kind, amount, requestId, actor }: Adjustment,
    em: EntityManager,
  ): Promise<void> {
    const column = kind === 'grant' ? 'granted = granted + $2' : 'used = used - $2';
    await em.query(
      `WITH parent_keys AS (
         SELECT k.maker_ids AS ids FROM credit_balance k WHERE k.subject_id = $3
       ), moved AS (
         UPDATE credit_balance SET ${column}::bigint
         WHERE subject_id = ANY (ARRAY[$1, $3]::uuid[] || (SELECT ids FROM parent_keys))
       )
       SELECT write_ledger_line($1, $3, (SELECT ids FROM parent_keys), b.period_start, $4, -$2::bigint, $4, $5, $6)
       FROM credit_balance b WHERE b.subject_id = $1`,
      [accountId, amount, keyId, kind, requestId, actor],
    );
  }

  /** Adds a prepaid grant. The caller holds the lock of the account, see `lock`. */
  async addPrepaid(
    { id, accountId, amount, endsAt, reason, actor }: NewPrepaidGrant,
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `WITH noted AS (UPDATE credit_balance SET has_prepaid = true WHERE subject_id = $2)
       INSERT INTO prepaid_grant (id, account_id, amount, remaining, ends_at, reason, granted_by)
       VALUES ($1, $2, $3, $3, $4, $5, $6)`,
      [id, accountId, amount, endsAt, reason, actor],
    );
  }

  /** Ends a prepaid grant: takes back what is left of it. The caller holds the lock of the account, see `lock`. */
  async revokePrepaid(id: string, actor: string, em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE prepaid_grant SET revoked = remaining, remaining = 0, revoked_by = $2, revoked_at = now() WHERE id = $1`,
      [id, actor],
    );
  }

  /**
   * The credits that are left for charges of a key: the least of its own, its parent keys', its account's and its budgets'. Read
   * together for those who ask at the same time; no lock is waited for.
   */
  async findRemaining(charges: ChargesOfKey): Promise<RemainingCredits> {
    return (await this.readRemaining(JSON.stringify(valuesOfCharges(charges))))!;
  }

  private async listRemaining(names: string[]): Promise<Map<string, RemainingCredits>> {
    const charges = names.map((name) => JSON.parse(name) as ReturnType<typeof valuesOfCharges>);
    const columnsOf = (some: typeof charges, ...columns: number[]) =>
      columns.map((column) => some.map((values) => values[column]));
    const pairs = await queryPrepared<{ remaining: number | null; isAll: boolean }>(
      this.dataSource,
      REMAINING_OF_PAIRS,
      columnsOf(charges, 0, 1),
    );
    const others = charges.filter((_, index) => !pairs[index]!.isAll);
    const rows =
      others.length === 0
        ? []
        : await queryPrepared<RemainingCredits>(this.dataSource, REMAINING, columnsOf(others, 0, 1, 2, 3));
    const inOrder = rows.values();
    return new Map(
      pairs.map(({ remaining, isAll }, index) => [
        names[index]!,
        isAll ? { remaining, hasBudgets: false } : inOrder.next().value!,
      ]),
    );
  }
}

function toOutcome([
  outcome,
  scope,
  creditLimit,
  remaining,
  leftOver,
  heldUntil,
  morePayers,
  ...[name, window, renewsAt]
]: OutcomeRow): ChargeOutcome {
  return {
    outcome,
    scope,
    creditLimit: toNumber(creditLimit),
    remaining: toNumber(remaining),
    leftOver: toNumber(leftOver),
    heldUntil,
    morePayers,
    budget: name === null ? null : { name, window: window!, renewsAt: renewsAt! },
  };
}

function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text);
}

function least(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
