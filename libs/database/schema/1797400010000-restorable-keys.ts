import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deleted keys can be seen and restored until they are removed. */
export class RestorableKeys1797400010000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE api_key ADD COLUMN removed_at timestamptz');
    await queryRunner.query(
      'CREATE INDEX api_key_deleted_idx ON api_key (deleted_at) WHERE deleted_at IS NOT NULL AND removed_at IS NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE api_key DROP COLUMN removed_at');
  }
}
