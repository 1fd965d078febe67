import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The grades that people gave, beside those of the rules, and items of the review desk that ask for a second, blind one. */
export class SecondListening1797100041000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE listening (
        id uuid PRIMARY KEY,
        voice_id text NOT NULL CONSTRAINT listening_voice_fk REFERENCES voice (id) ON DELETE CASCADE,
        audio_digest text NOT NULL,
        grade text NOT NULL,
        ruleset text,
        ruleset_grade text,
        reason_codes text[] NOT NULL,
        first_id uuid,
        listened_by uuid NOT NULL,
        listened_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX listening_at_idx ON listening (listened_at);
      CREATE INDEX listening_voice_idx ON listening (voice_id);

      ALTER TABLE review_item ADD COLUMN first_listening uuid, ADD COLUMN first_listener uuid;
      DROP INDEX review_item_open_idx;
      CREATE UNIQUE INDEX review_item_open_idx ON review_item (voice_id)
        WHERE decided_at IS NULL AND first_listening IS NULL;
      CREATE UNIQUE INDEX review_item_blind_idx ON review_item (voice_id)
        WHERE decided_at IS NULL AND first_listening IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DELETE FROM review_item WHERE first_listening IS NOT NULL;
      DROP INDEX review_item_open_idx, review_item_blind_idx;
      ALTER TABLE review_item DROP COLUMN first_listening, DROP COLUMN first_listener;
      CREATE UNIQUE INDEX review_item_open_idx ON review_item (voice_id) WHERE decided_at IS NULL;
      DROP TABLE listening;
    `);
  }
}
