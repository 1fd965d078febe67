import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Credentials of programs that use the staff API, and what they have requested of a second person. */
export class ManagementCredentials1797500020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE management_credential (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        purpose text NOT NULL,
        digest text NOT NULL,
        hint text NOT NULL,
        old_digest text,
        old_until timestamptz,
        permissions text[] NOT NULL,
        accounts text NOT NULL,
        account_ids uuid[] NOT NULL,
        tag text,
        allowed_ips text[] NOT NULL,
        requests_per_minute integer NOT NULL,
        expires_at timestamptz NOT NULL,
        creator_id uuid NOT NULL,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL,
        disabled_at timestamptz,
        deleted_at timestamptz,
        last_used_at timestamptz,
        last_used_address text,
        version bigint NOT NULL DEFAULT 1
      ) WITH (fillfactor = 80);
      CREATE UNIQUE INDEX management_credential_digest_idx ON management_credential (digest);
      CREATE UNIQUE INDEX management_credential_old_digest_idx ON management_credential (old_digest);
      CREATE INDEX management_credential_created_idx ON management_credential (created_at, id);
      ALTER TABLE approval ADD COLUMN credential_id uuid;
      ALTER TABLE audit_event DROP CONSTRAINT audit_event_actor_kind_check`);
    // Every stored row fits: the constraint before it was narrower.
    await runner.query(`ALTER TABLE audit_event ADD CONSTRAINT audit_event_actor_kind_check
      CHECK (actor_kind IN ('staff', 'customer', 'system', 'management')) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_event DROP CONSTRAINT audit_event_actor_kind_check;
      ALTER TABLE audit_event ADD CONSTRAINT audit_event_actor_kind_check
        CHECK (actor_kind IN ('staff', 'customer', 'system')) NOT VALID;
      ALTER TABLE approval DROP COLUMN credential_id;
      DROP TABLE management_credential`);
  }
}
