import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the platform's own services sign in with. */
export class ServiceCredentials1795610000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE service_credential (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        digest text NOT NULL,
        hint text NOT NULL,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL,
        disabled_at timestamptz,
        deleted_at timestamptz,
        last_used_at timestamptz,
        last_used_address text,
        version bigint NOT NULL DEFAULT 1
      ) WITH (fillfactor = 80);
      CREATE UNIQUE INDEX service_credential_digest_idx ON service_credential (digest);
      CREATE INDEX service_credential_created_idx ON service_credential (created_at, id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE service_credential');
  }
}
