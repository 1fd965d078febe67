import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an identity provider has said by SCIM of the people and groups that it manages. */
export class Scim1797503100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE staff_auth.scim_user (
        id uuid PRIMARY KEY REFERENCES staff_auth.member (id) ON DELETE CASCADE,
        external_id text,
        active boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE TABLE staff_auth.scim_group (
        id uuid PRIMARY KEY,
        display_name text NOT NULL UNIQUE,
        external_id text,
        members uuid[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE staff_auth.scim_group, staff_auth.scim_user');
  }
}
