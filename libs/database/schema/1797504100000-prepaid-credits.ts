import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Credits that do not end with the billing period: see settle_credits. */
export class PrepaidCredits1797504100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLE);
    await queryRunner.query(`
      ALTER TABLE credit_balance ADD COLUMN has_prepaid boolean NOT NULL DEFAULT false,
        ADD COLUMN prepaid_used bigint NOT NULL DEFAULT 0;
      ALTER TABLE credit_balance_history ADD COLUMN prepaid_used bigint NOT NULL DEFAULT 0;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await drop(queryRunner, 'VIEW', ['current_standing', 'current_credits']);
    await drop(queryRunner, 'FUNCTION', ['prepaid_left', 'live_prepaid_grants', 'give_back_prepaid']);
    await queryRunner.query(`
      DROP TABLE prepaid_grant;
      ALTER TABLE credit_balance DROP COLUMN has_prepaid, DROP COLUMN prepaid_used;
      ALTER TABLE credit_balance_history DROP COLUMN prepaid_used;
    `);
  }
}

/** Drops definitions; the migrator applies those again that it has a file of. */
async function drop(queryRunner: QueryRunner, kind: 'FUNCTION' | 'VIEW', names: string[]): Promise<void> {
  await queryRunner.query(`DROP ${kind} IF EXISTS ${names.join()}`);
  await queryRunner.query('DELETE FROM sql_definition WHERE name = ANY ($1)', [names]);
}

/** What changes a row holds the lock of the account's balance. The ids of the table are in the ledger: a row is not deleted. */
const TABLE = `
CREATE TABLE prepaid_grant (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  remaining bigint NOT NULL CHECK (remaining >= 0),
  revoked bigint NOT NULL DEFAULT 0,
  ends_at timestamptz,
  reason text,
  granted_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_by text,
  revoked_at timestamptz
) WITH (fillfactor = 70);
CREATE INDEX prepaid_grant_account_idx ON prepaid_grant (account_id)`;
