import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What customers object to in the reviews of their voices, and what they were answered. */
export class ReviewAppeals1797100040000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE review_appeal (
        id uuid PRIMARY KEY,
        voice_id text NOT NULL CONSTRAINT review_appeal_voice_fk REFERENCES voice (id) ON DELETE CASCADE,
        item_id uuid NOT NULL,
        generation integer NOT NULL,
        ruleset text,
        grade text NOT NULL,
        text text NOT NULL,
        made_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        outcome text,
        answer text,
        answered_grade text,
        answered_by text,
        answered_at timestamptz
      );
      CREATE UNIQUE INDEX review_appeal_open_idx ON review_appeal (voice_id) WHERE answered_at IS NULL;
      CREATE UNIQUE INDEX review_appeal_verdict_idx ON review_appeal (voice_id, generation);
      CREATE INDEX review_appeal_item_idx ON review_appeal (item_id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE review_appeal');
  }
}
