import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Audio whose bytes are in an object store: its row stays here, and is what says that it exists. */
export class AudioElsewhere1795650000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE audio_object ALTER COLUMN bytes DROP NOT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE audio_object ALTER COLUMN bytes SET NOT NULL');
  }
}
