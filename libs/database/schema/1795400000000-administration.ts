import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What staff and customers change about accounts and keys, and the indexes that find them among millions. */
export class Administration1795400000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(COLUMNS);
    await queryRunner.query(INDEXES);
  }

  // The extension stays: it may have been there before, and others may use it.
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE service_account, api_key_use;
      DROP INDEX account_name_part_idx, account_name_idx, account_created_idx;
      ALTER TABLE account DROP COLUMN version, DROP COLUMN credit_limit_override, DROP COLUMN voice_limit_override,
        DROP COLUMN concurrency_limit_override, DROP COLUMN ip_allow_list_enabled, DROP COLUMN ip_allow_list_changed_at,
        DROP COLUMN ip_allow_list_changed_by, DROP COLUMN ip_allow_list_reason;
      DROP INDEX api_key_account_idx, api_key_created_idx, api_key_name_idx, api_key_name_part_idx, api_key_scope_idx,
        api_key_all_scopes_idx, api_key_disabled_idx, api_key_expires_idx, api_key_listed_idx, api_key_service_account_idx;
      ALTER TABLE api_key DROP COLUMN service_account_id, DROP COLUMN requests_per_minute,
        DROP COLUMN third_party_disable_allowed, DROP COLUMN disabled_at, DROP COLUMN deleted_at,
        ALTER COLUMN name SET STATISTICS DEFAULT;
      CREATE INDEX api_key_account_idx ON api_key (account_id, created_at);
      DROP INDEX api_key_secret_number_idx, api_key_secret_hint_idx;
      ALTER TABLE api_key_secret DROP COLUMN number, DROP COLUMN retires_at, DROP COLUMN last_used_at,
        DROP COLUMN last_used_address;
      CREATE INDEX api_key_secret_key_idx ON api_key_secret (key_id);
    `);
  }
}

const COLUMNS = `
CREATE EXTENSION IF NOT EXISTS pg_trgm;

ALTER TABLE account
  ADD COLUMN version bigint NOT NULL DEFAULT 1,
  ADD COLUMN credit_limit_override bigint CHECK (credit_limit_override >= 0),
  ADD COLUMN voice_limit_override integer CHECK (voice_limit_override >= 0),
  ADD COLUMN concurrency_limit_override integer CHECK (concurrency_limit_override >= 0),
  ADD COLUMN ip_allow_list_enabled boolean NOT NULL DEFAULT false,
  ADD COLUMN ip_allow_list_changed_at timestamptz,
  ADD COLUMN ip_allow_list_changed_by text,
  ADD COLUMN ip_allow_list_reason text;

CREATE TABLE service_account (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX service_account_account_idx ON service_account (account_id, created_at);

ALTER TABLE api_key
  ADD COLUMN service_account_id text,
  ADD COLUMN requests_per_minute integer CHECK (requests_per_minute > 0),
  ADD COLUMN third_party_disable_allowed boolean,
  ADD COLUMN disabled_at timestamptz,
  ADD COLUMN deleted_at timestamptz;

ALTER TABLE api_key_secret
  ADD COLUMN number integer NOT NULL DEFAULT 1,
  ADD COLUMN retires_at timestamptz,
  ADD COLUMN last_used_at timestamptz,
  ADD COLUMN last_used_address text;

-- When each key was last used, whichever of its secrets was. Beside the key, because it changes with every use.
CREATE TABLE api_key_use (
  key_id uuid PRIMARY KEY,
  last_used_at timestamptz,
  last_used_address text
) WITH (fillfactor = 70);
INSERT INTO api_key_use (key_id) SELECT id FROM api_key;
`;

// The planner decides from statistics whether a name part is rare (then the trigram index) or common (then it walks the
// order of the list and filters): the default 100 buckets are too coarse for that.
const INDEXES = `
CREATE INDEX account_name_part_idx ON account USING gin (name gin_trgm_ops);
CREATE INDEX account_name_idx ON account (lower(name) COLLATE "C", id);
CREATE INDEX account_created_idx ON account (created_at, id);

DROP INDEX api_key_account_idx;
-- With the name, so that a search for a part of it reads the index only.
CREATE INDEX api_key_account_idx ON api_key (account_id, created_at, id) INCLUDE (name) WHERE deleted_at IS NULL;
CREATE INDEX api_key_created_idx ON api_key (created_at, id) INCLUDE (name) WHERE deleted_at IS NULL;
-- Not partial ones: the planner has no statistics of the expression of a partial index.
CREATE INDEX api_key_name_idx ON api_key (lower(name) COLLATE "C", id) INCLUDE (name, deleted_at);
CREATE INDEX api_key_expires_idx ON api_key (coalesce(expires_at, 'infinity'), id);
CREATE INDEX api_key_name_part_idx ON api_key USING gin (name gin_trgm_ops) WHERE deleted_at IS NULL;
CREATE INDEX api_key_scope_idx ON api_key USING gin (permissions) WHERE deleted_at IS NULL;
CREATE INDEX api_key_all_scopes_idx ON api_key (created_at, id) WHERE permissions IS NULL AND deleted_at IS NULL;
CREATE INDEX api_key_disabled_idx ON api_key (created_at, id) WHERE disable_reason IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX api_key_listed_idx ON api_key (created_at, id) WHERE allowed_ips IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX api_key_service_account_idx ON api_key (service_account_id, created_at)
  WHERE service_account_id IS NOT NULL AND deleted_at IS NULL;
ALTER TABLE api_key ALTER COLUMN name SET STATISTICS 1000;

DROP INDEX api_key_secret_key_idx;
CREATE UNIQUE INDEX api_key_secret_number_idx ON api_key_secret (key_id, number);
CREATE INDEX api_key_secret_hint_idx ON api_key_secret (hint, key_id);

CREATE INDEX api_key_use_last_used_idx ON api_key_use (coalesce(last_used_at, '-infinity'), key_id);
`;
