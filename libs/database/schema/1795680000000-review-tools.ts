import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What staff need to find voices, to see what became of their reviews and which workers there are. */
export class ReviewTools1795680000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE voice ADD COLUMN understood jsonb;
      CREATE INDEX voice_created_idx ON voice (created_at, id);
      CREATE INDEX voice_touched_idx ON voice (review_touched_at, id);
      CREATE INDEX voice_all_names_idx ON voice (lower(name) COLLATE "C", id);
      CREATE INDEX voice_name_part_idx ON voice USING gin (name gin_trgm_ops);
      CREATE INDEX review_event_at_idx ON review_event (at);

      CREATE TABLE worker_process (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        concurrency integer NOT NULL,
        started_at timestamptz NOT NULL DEFAULT now(),
        seen_at timestamptz NOT NULL DEFAULT now(),
        waiting integer NOT NULL DEFAULT 0,
        idle_ms integer NOT NULL DEFAULT 0,
        is_stuck boolean NOT NULL DEFAULT false
      ) WITH (fillfactor = 50);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE worker_process;
      DROP INDEX voice_created_idx, voice_touched_idx, voice_all_names_idx, voice_name_part_idx, review_event_at_idx;
      ALTER TABLE voice DROP COLUMN understood;
    `);
  }
}
