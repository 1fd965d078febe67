import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which member of staff looks after an account. */
export class AccountManager1797000005000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE account ADD COLUMN manager_id uuid;
      CREATE INDEX account_manager_idx ON account (manager_id) WHERE manager_id IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE account DROP COLUMN manager_id');
  }
}
