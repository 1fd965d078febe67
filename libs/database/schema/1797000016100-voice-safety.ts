import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Voices that staff hold or have taken down. */
export class VoiceSafety1797000016100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE voice ADD COLUMN safety_state text, ADD COLUMN safety_notice text;
      CREATE INDEX voice_safety_idx ON voice (safety_state, id) WHERE safety_state IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE voice DROP COLUMN safety_state, DROP COLUMN safety_notice');
  }
}
