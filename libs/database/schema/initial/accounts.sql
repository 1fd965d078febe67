CREATE TABLE account (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  tier text NOT NULL,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'closed')),
  voice_limit integer NOT NULL CHECK (voice_limit >= 0),
  concurrency_limit integer NOT NULL CHECK (concurrency_limit >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT 1,
  credit_limit_override bigint CHECK (credit_limit_override >= 0),
  voice_limit_override integer CHECK (voice_limit_override >= 0),
  concurrency_limit_override integer CHECK (concurrency_limit_override >= 0),
  ip_allow_list_enabled boolean NOT NULL DEFAULT false,
  ip_allow_list_changed_at timestamptz,
  ip_allow_list_changed_by text,
  ip_allow_list_reason text,
  -- When staff confirmed that the account may upload recordings of people.
  recordings_consented_at timestamptz,
  third_party_disable_allowed boolean,
  -- The member of staff who looks after it.
  manager_id uuid,
  tags text[] NOT NULL DEFAULT '{}',
  external_id text,
  -- For all of its keys, beside the lists of those.
  allowed_ips text[]
);
CREATE INDEX account_name_part_idx ON account USING gin (plain_text(name) gin_trgm_ops);
CREATE INDEX account_name_idx ON account (lower(name) COLLATE "C", id);
CREATE INDEX account_created_idx ON account (created_at, id);
CREATE INDEX account_manager_idx ON account (manager_id) WHERE manager_id IS NOT NULL;
CREATE UNIQUE INDEX account_external_id_idx ON account (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX account_tags_idx ON account USING gin (tags) WHERE tags <> '{}';

CREATE TABLE service_account (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX service_account_account_idx ON service_account (account_id, created_at);
