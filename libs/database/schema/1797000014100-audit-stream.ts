import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the audit log was sent to a collector. */
export class AuditStream1797000014100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE audit_cursor (
        name text PRIMARY KEY,
        event_id bigint NOT NULL DEFAULT 0,
        moved_at timestamptz,
        failing_since timestamptz,
        last_error text
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE audit_cursor');
  }
}
