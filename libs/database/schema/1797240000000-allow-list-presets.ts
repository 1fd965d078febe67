import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Presets of allow-lists as their files were read last. */
export class AllowListPresets1797240000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE allow_list_preset (
        name text PRIMARY KEY,
        blocks text[] NOT NULL,
        problem text,
        changed_at timestamptz
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE allow_list_preset');
  }
}
