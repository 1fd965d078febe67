import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Budgets that each end user has separately. */
export class EndUserBudgets1797400066000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLE);
    await replaceSubjects(queryRunner, ['account', 'key', 'tag', 'end_user']);
    await dropFunctions(queryRunner);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM budget WHERE subject = 'end_user'`);
    await replaceSubjects(queryRunner, ['account', 'key', 'tag']);
    await dropFunctions(queryRunner);
    await queryRunner.query('DROP TABLE budget_end_user');
  }
}

async function replaceSubjects(queryRunner: QueryRunner, subjects: string[]): Promise<void> {
  const list = subjects.map((subject) => `'${subject}'`).join();
  await queryRunner.query(`
    ALTER TABLE budget DROP CONSTRAINT budget_subject_check,
      ADD CONSTRAINT budget_subject_check CHECK (subject IN (${list}))`);
}

/** They have other parameters; the migrator applies those again that it has a file of. */
async function dropFunctions(queryRunner: QueryRunner): Promise<void> {
  const names = ['add_used_to_budgets', 'budgets_of'];
  await queryRunner.query(`DROP FUNCTION IF EXISTS ${names.join()}`);
  await queryRunner.query('DELETE FROM sql_definition WHERE name = ANY ($1)', [names]);
}

/** What changes a row holds the lock of the account's balance. A row whose window has ended counts as nothing, until it is used again or deleted. */
const TABLE = `
CREATE TABLE budget_end_user (
  budget int NOT NULL,
  end_user text NOT NULL,
  window_start timestamptz NOT NULL,
  used bigint NOT NULL CHECK (used >= 0),
  PRIMARY KEY (budget, end_user)
) WITH (fillfactor = 70)`;
