import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What staff file voices under. */
export class VoiceTags1797100070000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE voice ADD tags text[] NOT NULL DEFAULT '{}';
      CREATE INDEX voice_tags_idx ON voice USING gin (tags) WHERE tags <> '{}';
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE voice DROP tags');
  }
}
