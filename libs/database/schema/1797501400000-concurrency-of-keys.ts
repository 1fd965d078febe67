import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many generations of a key run at the same time. */
export class ConcurrencyOfKeys1797501400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE api_key ADD COLUMN concurrency_limit int');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE api_key DROP COLUMN concurrency_limit');
  }
}
