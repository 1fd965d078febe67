import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of the api, and how much they have served. */
export class ApiLoad1797100050200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE api_load (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        requests bigint NOT NULL,
        refusals bigint NOT NULL,
        requests_per_sec real NOT NULL,
        refusals_per_sec real NOT NULL,
        started_at timestamptz NOT NULL DEFAULT now(),
        seen_at timestamptz NOT NULL DEFAULT now()
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE api_load');
  }
}
