import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who speaks in recordings, as a model of speakers describes it. */
export class Speakers1797230000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE recording_speaker (
        audio_digest text PRIMARY KEY
          CONSTRAINT recording_speaker_audio_fk REFERENCES audio_object (digest) ON DELETE CASCADE,
        model text NOT NULL,
        vector real[] NOT NULL,
        signature bit(256) NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      -- A search reads every signature of a model, and so few others that it never reads the table of vectors.
      CREATE INDEX recording_speaker_signature_idx ON recording_speaker (model, signature, audio_digest);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE recording_speaker');
  }
}
