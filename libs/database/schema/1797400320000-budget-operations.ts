import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Budgets for some operations only; what one end user has used of a budget is read like the rest. */
export class BudgetOperations1797400320000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE budget ADD COLUMN operations text[] CHECK (cardinality(operations) > 0)',
    );
    await queryRunner.query('DROP VIEW IF EXISTS current_budgets');
    await dropFunctions(queryRunner, ['budgets_of', ...SETTLING]);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DELETE FROM budget WHERE operations IS NOT NULL');
    await dropFunctions(queryRunner, ['budgets_of', 'current_budgets', ...SETTLING]);
    await queryRunner.query('ALTER TABLE budget DROP COLUMN operations');
  }
}

/** They return other columns. */
const SETTLING = ['settle_batch', 'settle_credits'];

/** They have other parameters; the migrator applies those again that it has a file of, and `current_budgets` as a view or a function. */
async function dropFunctions(queryRunner: QueryRunner, names: string[]): Promise<void> {
  await queryRunner.query(`DROP FUNCTION IF EXISTS ${names.join()}`);
  await queryRunner.query('DELETE FROM sql_definition WHERE name = ANY ($1)', [
    [...names, 'current_budgets'],
  ]);
}
