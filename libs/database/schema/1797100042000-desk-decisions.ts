import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a decision at the review desk has replaced, so that it can be undone; and what staff note about voices. */
export class DeskDecisions1797100042000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE review_item ADD COLUMN batch_id uuid, ADD COLUMN batch_by uuid, ADD COLUMN replaced jsonb;
      CREATE INDEX review_item_batch_idx ON review_item (batch_by, decided_at) WHERE batch_id IS NOT NULL;

      CREATE TABLE voice_comment (
        id uuid PRIMARY KEY,
        voice_id text NOT NULL CONSTRAINT voice_comment_voice_fk REFERENCES voice (id) ON DELETE CASCADE,
        text text NOT NULL,
        written_by uuid NOT NULL,
        written_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX voice_comment_voice_idx ON voice_comment (voice_id, written_at);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE voice_comment;
      DROP INDEX review_item_batch_idx;
      ALTER TABLE review_item DROP COLUMN batch_id, DROP COLUMN batch_by, DROP COLUMN replaced;
    `);
  }
}
