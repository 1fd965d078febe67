import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notices are about keys with a limit of their own, too. */
export class KeyQuotaNotices1795750000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE webhook_quota_notice RENAME COLUMN account_id TO subject_id');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE webhook_quota_notice RENAME COLUMN subject_id TO account_id');
  }
}
