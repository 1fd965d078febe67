import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Previews whose audio is still to come, what they were remixed from, and the session they belong to. */
export class PreviewGeneration1795660000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE preview
        ALTER COLUMN audio_digest DROP NOT NULL,
        ADD COLUMN failed_at timestamptz,
        ADD COLUMN remixed_voice_id text,
        ADD COLUMN remixing_session_id text,
        ADD COLUMN remixing_session_iteration_id text,
        ADD CONSTRAINT preview_outcome_check CHECK (audio_digest IS NULL OR failed_at IS NULL);
      CREATE INDEX preview_pending_idx ON preview (created_at) WHERE audio_digest IS NULL AND failed_at IS NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DELETE FROM preview WHERE audio_digest IS NULL;
      DROP INDEX preview_pending_idx;
      ALTER TABLE preview
        DROP CONSTRAINT preview_outcome_check,
        DROP COLUMN remixing_session_iteration_id,
        DROP COLUMN remixing_session_id,
        DROP COLUMN remixed_voice_id,
        DROP COLUMN failed_at,
        ALTER COLUMN audio_digest SET NOT NULL;
    `);
  }
}
