import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which key signed each event, and the keys of earlier secrets, so that APP_SECRET can be replaced. */
export class AuditKeys1797400000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE audit_event ADD COLUMN key_id text');
    await queryRunner.query('CREATE TABLE audit_key (id text PRIMARY KEY, sealed_key text NOT NULL)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE audit_key');
    await queryRunner.query('ALTER TABLE audit_event DROP COLUMN key_id');
  }
}
