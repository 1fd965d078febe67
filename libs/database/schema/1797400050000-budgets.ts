import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Budgets: payers of charges beside accounts and keys, each with a window of time. */
export class Budgets1797400050000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLE);
    await queryRunner.query(COLUMNS);
    // They get more parameters, or return more columns.
    await drop(queryRunner, { functions: ['settle_batch', 'settle_credits', 'write_ledger_line'] });
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await drop(queryRunner, {
      views: ['current_budgets', 'current_standing', 'credit_ledger'],
      functions: ['budgets_of', 'settle_batch', 'settle_credits', 'write_ledger_line'],
    });
    await queryRunner.query(`
      DROP TABLE budget;
      ALTER TABLE credit_balance DROP COLUMN has_budgets;
      ALTER TABLE credit_hold DROP COLUMN budgets, DROP COLUMN budget_windows;
      ALTER TABLE ledger_line DROP COLUMN budgets, DROP COLUMN budget_windows, DROP COLUMN budget_limits;
    `);
  }
}

/** Drops definitions; the migrator applies those again that it has a file of. */
async function drop(
  queryRunner: QueryRunner,
  { views = [], functions }: { views?: string[]; functions: string[] },
): Promise<void> {
  if (views.length > 0) await queryRunner.query(`DROP VIEW IF EXISTS ${views.join()}`);
  await queryRunner.query(`DROP FUNCTION IF EXISTS ${functions.join()}`);
  await queryRunner.query('DELETE FROM sql_definition WHERE name = ANY ($1)', [[...views, ...functions]]);
}

/** No row of it is locked for a charge: what changes one holds the lock of its account's balance. */
const TABLE = `
CREATE TABLE budget (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  name text NOT NULL,
  subject text NOT NULL CHECK (subject IN ('account', 'key', 'tag')),
  key_id uuid,
  tag text,
  amount bigint NOT NULL CHECK (amount > 0),
  window_kind text NOT NULL CHECK (window_kind IN ('day', 'week', 'month', 'billing_period')),
  time_zone text NOT NULL,
  window_start timestamptz NOT NULL,
  window_end timestamptz NOT NULL,
  used bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
  version int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  number serial,
  CONSTRAINT budget_account_name_key UNIQUE (account_id, name),
  CONSTRAINT budget_named_subject_check CHECK ((key_id IS NOT NULL) = (subject = 'key') AND (tag IS NOT NULL) = (subject = 'tag'))
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX budget_number_idx ON budget (number)`;

const COLUMNS = `
ALTER TABLE credit_balance ADD COLUMN has_budgets boolean NOT NULL DEFAULT false;
ALTER TABLE credit_hold ADD COLUMN budgets int[], ADD COLUMN budget_windows timestamptz[];
ALTER TABLE ledger_line ADD COLUMN budgets int[], ADD COLUMN budget_windows timestamptz[], ADD COLUMN budget_limits bigint[]`;
