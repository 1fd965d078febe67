import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Charges name the end user whom they are for. A line without one is no longer than before: it has nulls already. */
export class EndUsers1797400065000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE ledger_line ADD COLUMN end_user text;
      ALTER TABLE credit_hold ADD COLUMN end_user text;
    `);
    // They get one more parameter.
    await drop(queryRunner, 'FUNCTION', [
      'charge_batch',
      'settle_batch',
      'settle_credits',
      'write_ledger_line',
    ]);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await drop(queryRunner, 'VIEW', ['current_standing', 'credit_ledger']);
    await drop(queryRunner, 'FUNCTION', [
      'charge_batch',
      'settle_batch',
      'settle_credits',
      'write_ledger_line',
    ]);
    await queryRunner.query(`
      ALTER TABLE ledger_line DROP COLUMN end_user;
      ALTER TABLE credit_hold DROP COLUMN end_user;
    `);
  }
}

/** Drops definitions; the migrator applies those again that it has a file of. */
async function drop(queryRunner: QueryRunner, kind: 'FUNCTION' | 'VIEW', names: string[]): Promise<void> {
  await queryRunner.query(`DROP ${kind} IF EXISTS ${names.join()}`);
  await queryRunner.query('DELETE FROM sql_definition WHERE name = ANY ($1)', [names]);
}
