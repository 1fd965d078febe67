import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Releases that have migrated the database, so that an earlier one can name the one that it refuses. */
export class SchemaReleases1797500010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE schema_release (version text PRIMARY KEY, migrated_at timestamptz NOT NULL DEFAULT now())',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE schema_release');
  }
}
