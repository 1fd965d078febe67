import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What could be undone of an allow-list can be undone of every setting of a key. */
export class UndoOfKeySettings1797000013100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE allow_list_undo RENAME TO key_undo;
      ALTER TABLE key_undo DROP CONSTRAINT allow_list_undo_pkey;
      ALTER TABLE key_undo ADD COLUMN setting text NOT NULL DEFAULT 'allowed_ips';
      ALTER TABLE key_undo ALTER COLUMN setting DROP DEFAULT;
      ALTER TABLE key_undo ADD PRIMARY KEY (key_id, setting);
      ALTER INDEX allow_list_undo_due_idx RENAME TO key_undo_due_idx;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DELETE FROM key_undo WHERE setting <> 'allowed_ips';
      ALTER TABLE key_undo DROP CONSTRAINT key_undo_pkey;
      ALTER TABLE key_undo DROP COLUMN setting;
      ALTER TABLE key_undo RENAME TO allow_list_undo;
      ALTER TABLE allow_list_undo ADD CONSTRAINT allow_list_undo_pkey PRIMARY KEY (key_id);
      ALTER INDEX key_undo_due_idx RENAME TO allow_list_undo_due_idx;
    `);
  }
}
