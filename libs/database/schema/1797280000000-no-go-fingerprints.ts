import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Recordings that were put on the no-go list before they were reviewed have a fingerprint there. */
export class NoGoFingerprints1797280000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      UPDATE no_go_recording n SET steps = f.steps, keys = f.keys FROM recording_fingerprint f
      WHERE f.audio_digest = n.audio_digest AND n.steps IS NULL
    `);
  }

  async down(): Promise<void> {
    // The fingerprints are right in either schema.
  }
}
