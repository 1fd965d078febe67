import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an account administers itself. */
export class Workspace1797000003000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE account ADD COLUMN third_party_disable_allowed boolean');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE account DROP COLUMN third_party_disable_allowed');
  }
}
