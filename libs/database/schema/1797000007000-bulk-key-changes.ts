import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes of many keys that can be undone at once, and the lists that people have saved. */
export class BulkKeyChanges1797000007000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE bulk_key_change (
        id uuid PRIMARY KEY,
        key_ids uuid[] NOT NULL,
        key_versions integer[] NOT NULL,
        disable_reason text NOT NULL,
        reason text NOT NULL,
        changed_by text NOT NULL,
        changed_at timestamptz NOT NULL,
        due_at timestamptz,
        undone_at timestamptz,
        undone_by text
      );
      CREATE INDEX bulk_key_change_changed_idx ON bulk_key_change (changed_at);
      CREATE INDEX bulk_key_change_due_idx ON bulk_key_change (due_at) WHERE due_at IS NOT NULL;

      CREATE TABLE saved_view (
        id uuid PRIMARY KEY,
        staff_id uuid NOT NULL REFERENCES staff_auth.member (id) ON DELETE CASCADE,
        screen text NOT NULL,
        name text NOT NULL,
        query text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX saved_view_name_idx ON saved_view (staff_id, screen, name);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE saved_view, bulk_key_change');
  }
}
