import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A voice with much audio is reviewed in several turns, each with a job of its own. */
export class ReviewTurnsOfSamples1797310020000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE queued_review ADD COLUMN turn integer NOT NULL DEFAULT 0');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE queued_review DROP COLUMN turn');
  }
}
