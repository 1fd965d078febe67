import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSqlDefinitions } from './sql-definitions';

/** Tables with an account_id whose rows may not change while the account is moved. */
const GUARDED = [
  'alert_rule',
  'api_key',
  'contact',
  'credit_balance_history',
  'credit_hold',
  'history_item',
  'idempotent_request',
  'key_policy',
  'preview',
  'service_account',
  'voice',
  'webhook_endpoint',
];

/** What is known of accounts that move between cells. */
export class AccountMoves1797400310000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const refuse = readSqlDefinitions().find(({ name }) => name === 'refuse_frozen_account')!;
    const statements = [
      'ALTER TABLE account ADD COLUMN frozen_at timestamptz',
      'ALTER TABLE credit_balance ADD COLUMN frozen boolean NOT NULL DEFAULT false',
      `CREATE TABLE account_move (
         account_id uuid PRIMARY KEY,
         state text NOT NULL CHECK (state IN ('leaving', 'left', 'arriving', 'here')),
         own_cell text NOT NULL,
         other_cell text NOT NULL,
         changed_at timestamptz NOT NULL DEFAULT now()
       )`,
      'CREATE TABLE moved_secret (digest text PRIMARY KEY, account_id uuid NOT NULL)',
      'CREATE INDEX moved_secret_account_idx ON moved_secret (account_id)',
      refuse.text,
      `CREATE TRIGGER account_frozen BEFORE UPDATE ON account FOR EACH ROW
         WHEN (OLD.frozen_at IS NOT NULL AND NEW.frozen_at IS NOT NULL) EXECUTE FUNCTION refuse_frozen_account('known')`,
      ...GUARDED.map(
        (table) => `CREATE TRIGGER ${table}_frozen BEFORE INSERT OR UPDATE OR DELETE ON ${table}
          FOR EACH ROW EXECUTE FUNCTION refuse_frozen_account()`,
      ),
    ];
    for (const statement of statements) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION refuse_frozen_account CASCADE');
    await queryRunner.query('DROP TABLE moved_secret, account_move');
    await queryRunner.query('ALTER TABLE credit_balance DROP COLUMN frozen');
    await queryRunner.query('ALTER TABLE account DROP COLUMN frozen_at');
  }
}
