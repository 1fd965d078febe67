import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reports of leaked keys count once, and a single-use token ends with the secret that asked for it. */
export class BoundToTheirIssuer1795850000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE leak_report (
        digest text PRIMARY KEY,
        received_at timestamptz NOT NULL DEFAULT now()
      );
      -- The default is for processes of the release before, while they still run.
      ALTER TABLE single_use_token ADD COLUMN secret_number integer NOT NULL DEFAULT 1;
      UPDATE single_use_token t SET secret_number = s.number
      FROM (SELECT key_id, max(number) AS number FROM api_key_secret GROUP BY key_id) s WHERE s.key_id = t.key_id;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE single_use_token DROP COLUMN secret_number;
      DROP TABLE leak_report;
    `);
  }
}
