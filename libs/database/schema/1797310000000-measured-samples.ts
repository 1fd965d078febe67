import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A review keeps what it has measured, so that a stop of its worker costs one sample at most. */
export class MeasuredSamples1797310000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE measured_sample (
        sample_id text PRIMARY KEY CONSTRAINT measured_sample_sample_fk REFERENCES voice_sample (id) ON DELETE CASCADE,
        voice_id text NOT NULL,
        verdict jsonb NOT NULL,
        no_go jsonb NOT NULL
      );
      CREATE INDEX measured_sample_voice_idx ON measured_sample (voice_id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE measured_sample');
  }
}
