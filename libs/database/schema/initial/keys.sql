CREATE TABLE api_key (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  name text NOT NULL,
  permissions text[],
  allowed_ips text[],
  expires_at timestamptz,
  disable_reason text,
  version bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  service_account_id text,
  requests_per_minute integer CHECK (requests_per_minute > 0),
  third_party_disable_allowed boolean,
  disabled_at timestamptz,
  deleted_at timestamptz,
  -- The key that created a key, the key that created that one, and so on; null for a key that staff have created. At most
  -- five: MAX_MAKERS.
  maker_ids uuid[] CHECK (cardinality(maker_ids) BETWEEN 1 AND 5),
  -- Whether a key of the customer has disabled it: only then may a key of the customer enable it again.
  disabled_by_customer boolean NOT NULL DEFAULT false,
  -- The name of the file of keys that manages it.
  managed_by text,
  tags text[] NOT NULL DEFAULT '{}',
  external_id text
);
-- With the name, so that a search for a part of it reads the index only.
CREATE INDEX api_key_account_idx ON api_key (account_id, created_at, id) INCLUDE (name) WHERE deleted_at IS NULL;
CREATE INDEX api_key_created_idx ON api_key (created_at, id) INCLUDE (name) WHERE deleted_at IS NULL;
-- These two are not partial: the planner has no statistics of the expression of a partial index.
CREATE INDEX api_key_name_idx ON api_key (lower(name) COLLATE "C", id) INCLUDE (name, deleted_at);
CREATE INDEX api_key_expires_idx ON api_key (coalesce(expires_at, 'infinity'), id);
CREATE INDEX api_key_name_part_idx ON api_key USING gin (plain_text(name) gin_trgm_ops) WHERE deleted_at IS NULL;
CREATE INDEX api_key_scope_idx ON api_key USING gin (permissions) WHERE deleted_at IS NULL;
CREATE INDEX api_key_all_scopes_idx ON api_key (created_at, id) WHERE permissions IS NULL AND deleted_at IS NULL;
CREATE INDEX api_key_disabled_idx ON api_key (created_at, id) WHERE disable_reason IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX api_key_listed_idx ON api_key (created_at, id) WHERE allowed_ips IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX api_key_service_account_idx ON api_key (service_account_id, created_at)
  WHERE service_account_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX api_key_makers_idx ON api_key USING gin (maker_ids) WHERE maker_ids IS NOT NULL;
CREATE INDEX api_key_allowed_idx ON api_key USING gin (allowed_ips)
  WHERE allowed_ips IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX api_key_managed_idx ON api_key (managed_by, account_id) WHERE managed_by IS NOT NULL;
CREATE UNIQUE INDEX api_key_external_id_idx ON api_key (external_id, account_id)
  WHERE external_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX api_key_tags_idx ON api_key USING gin (tags) WHERE tags <> '{}' AND deleted_at IS NULL;
-- The planner decides from statistics whether a name part is rare (then it takes the trigram index) or common (then it walks
-- the order of the list and filters). The default of 100 buckets is too coarse for that.
ALTER TABLE api_key ALTER COLUMN name SET STATISTICS 1000;
-- The statistics of an index with a condition do not count: the planner estimates how many keys a search finds.
CREATE STATISTICS api_key_plain_name ON (plain_text(name)) FROM api_key;

CREATE TABLE api_key_secret (
  digest text PRIMARY KEY,
  key_id uuid NOT NULL,
  hint text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  number integer NOT NULL DEFAULT 1,
  retires_at timestamptz,
  last_used_at timestamptz,
  last_used_address text
);
CREATE UNIQUE INDEX api_key_secret_number_idx ON api_key_secret (key_id, number);
CREATE INDEX api_key_secret_hint_idx ON api_key_secret (hint, key_id);

-- When each key was last used, with any of its secrets. Not in api_key, because it changes with every use.
CREATE TABLE api_key_use (
  key_id uuid PRIMARY KEY,
  last_used_at timestamptz,
  last_used_address text
) WITH (fillfactor = 70);
CREATE INDEX api_key_use_last_used_idx ON api_key_use (coalesce(last_used_at, '-infinity'), key_id);

-- What is known of the entries of allowed_ips, of a key or an account, beyond their text. An entry without a row has no note
-- and no end. Its key_id is the id of the account for a list of that.
CREATE TABLE allow_list_entry (
  key_id uuid NOT NULL,
  cidr text NOT NULL,
  note text,
  ends_at timestamptz,
  added_by text NOT NULL,
  added_at timestamptz NOT NULL,
  PRIMARY KEY (key_id, cidr)
);

-- What a setting of a key, or the list of an account, was before its last change.
CREATE TABLE key_undo (
  subject_id uuid NOT NULL,
  before jsonb,
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL,
  due_at timestamptz,
  setting text NOT NULL,
  PRIMARY KEY (subject_id, setting)
);
CREATE INDEX key_undo_due_idx ON key_undo (due_at) WHERE due_at IS NOT NULL;

-- Presets of allow-lists as their files were read last.
CREATE TABLE allow_list_preset (
  name text PRIMARY KEY,
  blocks text[] NOT NULL,
  problem text,
  changed_at timestamptz
);

-- Changes of many keys, made in parts, that can be undone at once.
CREATE TABLE bulk_key_change (
  id uuid PRIMARY KEY,
  reason text NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL,
  due_at timestamptz,
  undone_at timestamptz,
  undone_by text,
  action text NOT NULL,
  value jsonb,
  filter jsonb NOT NULL,
  actor jsonb NOT NULL,
  total integer NOT NULL,
  changed integer NOT NULL,
  left_alone integer NOT NULL,
  progressed_at timestamptz NOT NULL,
  finished_at timestamptz,
  by_policy boolean NOT NULL DEFAULT false
);
CREATE INDEX bulk_key_change_changed_idx ON bulk_key_change (changed_at);
CREATE INDEX bulk_key_change_due_idx ON bulk_key_change (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX bulk_key_change_unfinished_idx ON bulk_key_change (progressed_at) WHERE finished_at IS NULL;

-- What each key was before a change of many. The tables of keys refer to each other by id alone.
CREATE TABLE bulk_key_change_item (
  change_id uuid NOT NULL,
  key_id uuid NOT NULL,
  version integer,
  before jsonb,
  PRIMARY KEY (change_id, key_id)
);

-- Tokens that stand for a key in one request. A token ends with the secret that requested it.
CREATE TABLE single_use_token (
  digest text PRIMARY KEY,
  key_id uuid NOT NULL,
  type text NOT NULL,
  address text,
  max_credits bigint CHECK (max_credits >= 0),
  pinned_id text,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  secret_number integer NOT NULL DEFAULT 1
);
CREATE INDEX single_use_token_expires_idx ON single_use_token (expires_at);
CREATE INDEX single_use_token_key_idx ON single_use_token (key_id, expires_at);

-- Reports of leaked keys: each counts once.
CREATE TABLE leak_report (
  digest text PRIMARY KEY,
  received_at timestamptz NOT NULL DEFAULT now()
);

-- What the platform's own services sign in with.
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

-- Numbers of the messages that announce changes of keys. NOTIFY delivers the messages; they are not stored.
CREATE SEQUENCE key_change_number;
