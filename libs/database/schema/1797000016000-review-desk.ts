import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The voices that wait for the ear of a person, and who looks at which of them. */
export class ReviewDesk1797000016000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE review_item (
        id uuid PRIMARY KEY,
        voice_id text NOT NULL CONSTRAINT review_item_voice_fk REFERENCES voice (id) ON DELETE CASCADE,
        reasons text[] NOT NULL,
        note text,
        priority integer NOT NULL,
        due_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        assigned_to uuid,
        taken_by uuid,
        taken_until timestamptz,
        snoozed_until timestamptz,
        snooze_note text,
        decided_at timestamptz,
        decided_by text,
        decision text,
        decided_grade text
      );
      CREATE UNIQUE INDEX review_item_open_idx ON review_item (voice_id) WHERE decided_at IS NULL;
      CREATE INDEX review_item_queue_idx ON review_item (priority DESC, due_at, id) WHERE decided_at IS NULL;
      CREATE INDEX review_item_decided_idx ON review_item (decided_at) WHERE decided_at IS NOT NULL;

      CREATE TABLE review_desk_visitor (
        staff_id uuid PRIMARY KEY,
        item_id uuid,
        seen_at timestamptz NOT NULL DEFAULT now()
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE review_desk_visitor, review_item');
  }
}
