import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The catalogue of voices that every account may use. */
export class SharedVoices1797000004000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE voice ADD COLUMN shared_at timestamptz;
      CREATE INDEX voice_shared_idx ON voice (shared_at, id) WHERE shared_at IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE voice DROP COLUMN shared_at');
  }
}
