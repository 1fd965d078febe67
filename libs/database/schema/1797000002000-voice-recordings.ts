import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Voices from recordings: without a preview, of several samples, each with a grade of its own. */
export class VoiceRecordings1797000002000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE voice ALTER COLUMN preview_id DROP NOT NULL');
    await queryRunner.query('ALTER TABLE voice_sample ADD COLUMN position integer NOT NULL DEFAULT 0');
    await queryRunner.query('ALTER TABLE review ADD COLUMN samples jsonb');
    await queryRunner.query('ALTER TABLE account ADD COLUMN recordings_consented_at timestamptz');
  }

  /** Fails while there are voices from recordings: they cannot be without this. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE account DROP COLUMN recordings_consented_at');
    await queryRunner.query('ALTER TABLE review DROP COLUMN samples');
    await queryRunner.query('ALTER TABLE voice_sample DROP COLUMN position');
    await queryRunner.query('ALTER TABLE voice ALTER COLUMN preview_id SET NOT NULL');
  }
}
