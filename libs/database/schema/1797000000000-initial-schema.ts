import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSqlDefinitions } from './sql-definitions';

/**
 * Tables, indexes, triggers and what is in them from the start. Functions and views are not here: each is a file in `sql/`,
 * which the migrator applies after the migrations, see `applySqlDefinitions`.
 */
export class InitialSchema1797000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(EXTENSIONS);
    for (const tables of [ACCOUNTS, KEYS, CREDITS, TRAFFIC, AUDIO, VOICES, REVIEWS, WEBHOOKS, STAFF, AUDIT]) {
      await queryRunner.query(tables);
    }
    await queryRunner.query(PROCESSES);
    // A trigger needs its function when it is created.
    for (const { text } of readSqlDefinitions().filter(({ name }) => TRIGGER_FUNCTIONS.includes(name))) {
      await queryRunner.query(text);
    }
    await queryRunner.query(TRIGGERS);
  }

  // The extensions stay: they may have been there before, and other programs may use them.
  async down(queryRunner: QueryRunner): Promise<void> {
    const functions = readSqlDefinitions().filter(({ kind }) => kind === 'function');
    await queryRunner.query(`
      DROP SCHEMA staff_auth CASCADE;
      DROP TABLE ${TABLES} CASCADE;
      DROP SEQUENCE key_change_number;
      DROP FUNCTION IF EXISTS ${functions.map(({ name }) => name).join(', ')};
    `);
  }
}

/** Every table of ours in `public`. */
const TABLES = `
  account, service_account, api_key, api_key_secret, api_key_use, single_use_token, leak_report,
  allow_list_entry, allow_list_undo, service_credential, api_process, worker_process, outbox, credit_balance,
  credit_balance_history, credit_ledger, credit_hold, idempotent_request, observed_traffic, key_refusal,
  rate_window, generation_slot, audio_object, preview, voice, voice_sample, preview_preference, review,
  review_event, audit_event, audit_head, sql_definition, webhook_endpoint, webhook_delivery, webhook_attempt,
  webhook_quota_notice
`;

const EXTENSIONS = `
-- Parts of names, in lists and searches.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
-- An owner and a text in one index.
CREATE EXTENSION IF NOT EXISTS btree_gin;
`;

const ACCOUNTS = `
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
  ip_allow_list_reason text
);
CREATE INDEX account_name_part_idx ON account USING gin (name gin_trgm_ops);
CREATE INDEX account_name_idx ON account (lower(name) COLLATE "C", id);
CREATE INDEX account_created_idx ON account (created_at, id);

CREATE TABLE service_account (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX service_account_account_idx ON service_account (account_id, created_at);
`;

const KEYS = `
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
  disabled_by_customer boolean NOT NULL DEFAULT false
);
-- With the name, so that a search for a part of it reads the index only.
CREATE INDEX api_key_account_idx ON api_key (account_id, created_at, id) INCLUDE (name) WHERE deleted_at IS NULL;
CREATE INDEX api_key_created_idx ON api_key (created_at, id) INCLUDE (name) WHERE deleted_at IS NULL;
-- These two are not partial: the planner has no statistics of the expression of a partial index.
CREATE INDEX api_key_name_idx ON api_key (lower(name) COLLATE "C", id) INCLUDE (name, deleted_at);
CREATE INDEX api_key_expires_idx ON api_key (coalesce(expires_at, 'infinity'), id);
CREATE INDEX api_key_name_part_idx ON api_key USING gin (name gin_trgm_ops) WHERE deleted_at IS NULL;
CREATE INDEX api_key_scope_idx ON api_key USING gin (permissions) WHERE deleted_at IS NULL;
CREATE INDEX api_key_all_scopes_idx ON api_key (created_at, id) WHERE permissions IS NULL AND deleted_at IS NULL;
CREATE INDEX api_key_disabled_idx ON api_key (created_at, id) WHERE disable_reason IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX api_key_listed_idx ON api_key (created_at, id) WHERE allowed_ips IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX api_key_service_account_idx ON api_key (service_account_id, created_at)
  WHERE service_account_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX api_key_makers_idx ON api_key USING gin (maker_ids) WHERE maker_ids IS NOT NULL;
-- The planner decides from statistics whether a name part is rare (then it takes the trigram index) or common (then it walks
-- the order of the list and filters). The default of 100 buckets is too coarse for that.
ALTER TABLE api_key ALTER COLUMN name SET STATISTICS 1000;

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

-- What is known of the entries of api_key.allowed_ips beyond their text. An entry without a row has no note and no end.
CREATE TABLE allow_list_entry (
  key_id uuid NOT NULL,
  cidr text NOT NULL,
  note text,
  ends_at timestamptz,
  added_by text NOT NULL,
  added_at timestamptz NOT NULL,
  PRIMARY KEY (key_id, cidr)
);

-- The list that a key had before its last change.
CREATE TABLE allow_list_undo (
  key_id uuid PRIMARY KEY,
  before jsonb,
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL,
  due_at timestamptz
);
CREATE INDEX allow_list_undo_due_idx ON allow_list_undo (due_at) WHERE due_at IS NOT NULL;

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
`;

const CREDITS = `
-- One row for each account and each key: the current billing period. A period that has ended stays in the row until
-- roll_over_balances moves it to the history.
CREATE TABLE credit_balance (
  subject_id uuid PRIMARY KEY,
  subject text NOT NULL CHECK (subject IN ('account', 'key')),
  account_id uuid NOT NULL,
  credit_limit bigint CHECK (credit_limit >= 0),
  used bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
  period_anchor timestamptz NOT NULL,
  period_start timestamptz NOT NULL,
  period_end timestamptz NOT NULL,
  -- Credits that staff have granted beyond the limit, for the current period.
  granted bigint NOT NULL DEFAULT 0 CHECK (granted >= 0),
  -- As api_key.maker_ids, here because settle_credits locks and reads this row anyway.
  maker_ids uuid[]
) WITH (fillfactor = 70);
CREATE INDEX credit_balance_account_idx ON credit_balance (account_id);

CREATE TABLE credit_balance_history (
  subject_id uuid NOT NULL,
  period_start timestamptz NOT NULL,
  account_id uuid NOT NULL,
  credit_limit bigint,
  used bigint NOT NULL CHECK (used >= 0),
  granted bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (subject_id, period_start)
);

-- A line counts for its account and, if it names them, for its key and for the makers of that key.
CREATE TABLE credit_ledger (
  id bigserial,
  account_id uuid NOT NULL,
  key_id uuid,
  period_start timestamptz NOT NULL,
  kind text NOT NULL CHECK (kind IN ('charge', 'refund', 'hold', 'release', 'grant', 'adjustment')),
  amount bigint NOT NULL,
  operation text NOT NULL,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  actor text,
  -- What the key and the account could use in the period when the line was admitted; null for no limit, and on lines that
  -- no limit applies to.
  key_limit bigint,
  account_limit bigint,
  -- The makers that the line counted for, nearest first, and what each could use then. A maker that is detached later keeps
  -- what was counted.
  maker_ids uuid[],
  maker_limits bigint[],
  PRIMARY KEY (account_id, id)
);
-- The only index that begins with the request id: PostgreSQL finds an earlier line by this one and by no other.
CREATE UNIQUE INDEX credit_ledger_request_idx ON credit_ledger (request_id, account_id, kind);
CREATE INDEX credit_ledger_account_idx ON credit_ledger (account_id, period_start);
CREATE INDEX credit_ledger_key_idx ON credit_ledger (key_id, period_start);

CREATE TABLE credit_hold (
  account_id uuid NOT NULL,
  request_id text NOT NULL,
  key_id uuid NOT NULL,
  period_start timestamptz NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  operation text NOT NULL,
  deadline timestamptz NOT NULL,
  maker_ids uuid[],
  PRIMARY KEY (account_id, request_id)
);
CREATE INDEX credit_hold_deadline_idx ON credit_hold (deadline);
CREATE INDEX credit_hold_account_idx ON credit_hold (account_id, deadline);
`;

const TRAFFIC = `
-- One row for each key, hour, operation, address and outcome: how often, and when first and last.
CREATE TABLE observed_traffic (
  key_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  route text NOT NULL,
  address text NOT NULL,
  outcome text NOT NULL,
  requests bigint NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (key_id, hour, route, address, outcome)
) WITH (fillfactor = 80);
CREATE INDEX observed_traffic_hour_idx ON observed_traffic (hour);

-- The newest refusals of each key, for support.
CREATE TABLE key_refusal (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  key_id uuid NOT NULL,
  at timestamptz NOT NULL,
  route text NOT NULL,
  address text NOT NULL,
  gate text NOT NULL,
  reason text NOT NULL,
  status integer NOT NULL,
  request_id text NOT NULL
);
CREATE INDEX key_refusal_key_idx ON key_refusal (key_id, at);
CREATE INDEX key_refusal_at_idx ON key_refusal (at);

-- Neither of these two is worth a write to the log: after a crash of the server the minute starts again.
CREATE UNLOGGED TABLE rate_window (
  key_id uuid PRIMARY KEY,
  ends_at timestamptz NOT NULL,
  used integer NOT NULL
) WITH (fillfactor = 50);

CREATE UNLOGGED TABLE generation_slot (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX generation_slot_account_idx ON generation_slot (account_id);

CREATE TABLE idempotent_request (
  account_id uuid NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  answer json,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotent_request_created_idx ON idempotent_request (created_at);
`;

const AUDIO = `
CREATE TABLE audio_object (
  digest text PRIMARY KEY,
  media_type text NOT NULL,
  size_bytes integer NOT NULL,
  -- Null when the bytes are in an object store: this row is what says that the recording exists.
  bytes bytea,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- Compressed audio does not compress again, and uncompressed storage lets a range be read without reading the rest.
ALTER TABLE audio_object ALTER COLUMN bytes SET STORAGE EXTERNAL;
`;

const VOICES = `
CREATE TABLE preview (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  description text NOT NULL,
  text text NOT NULL,
  engine text NOT NULL,
  spec jsonb NOT NULL,
  understood jsonb NOT NULL,
  language text NOT NULL,
  -- Null while the audio is still to come.
  audio_digest text,
  duration_secs double precision NOT NULL,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  voice_id text,
  failed_at timestamptz,
  remixed_voice_id text,
  remixing_session_id text,
  remixing_session_iteration_id text,
  CONSTRAINT preview_outcome_check CHECK (audio_digest IS NULL OR failed_at IS NULL)
);
-- Previews that became a voice stay with it, and leave the index of what expires.
CREATE INDEX preview_expires_idx ON preview (expires_at) WHERE voice_id IS NULL;
CREATE INDEX preview_account_idx ON preview (account_id, created_at, id);
CREATE INDEX preview_audio_idx ON preview (audio_digest);
CREATE INDEX preview_pending_idx ON preview (created_at) WHERE audio_digest IS NULL AND failed_at IS NULL;

CREATE TABLE voice (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  labels jsonb NOT NULL,
  preview_id text NOT NULL,
  engine text NOT NULL,
  spec jsonb NOT NULL,
  language text NOT NULL,
  content_digest text NOT NULL,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  review_state text NOT NULL DEFAULT 'queued' CHECK (review_state IN
    ('queued', 'running', 'retry_wait', 'stalled', 'completed', 'rejected', 'overridden', 'cancelled')),
  review_generation integer NOT NULL DEFAULT 1,
  review_token uuid,
  review_attempts integer NOT NULL DEFAULT 0,
  review_touched_at timestamptz NOT NULL DEFAULT now(),
  recording_quality text CHECK (recording_quality IN ('studio', 'good', 'ok', 'poor', 'bad')),
  recording_quality_reason text,
  settings jsonb,
  -- The trigger voice_search_text sets it.
  search_text text NOT NULL DEFAULT '',
  understood jsonb
);
CREATE INDEX voice_account_idx ON voice (account_id, created_at, id);
CREATE INDEX voice_review_idx ON voice (review_state, review_touched_at);
CREATE UNIQUE INDEX voice_preview_idx ON voice (preview_id);
CREATE INDEX voice_name_idx ON voice (account_id, (lower(name) COLLATE "C"), id);
-- The owner and the text are in one index, because the planner underrates what the common words of all owners cost.
CREATE INDEX voice_search_idx ON voice USING gin (account_id, search_text gin_trgm_ops);
CREATE INDEX voice_created_idx ON voice (created_at, id);
CREATE INDEX voice_touched_idx ON voice (review_touched_at, id);
CREATE INDEX voice_all_names_idx ON voice (lower(name) COLLATE "C", id);
CREATE INDEX voice_name_part_idx ON voice USING gin (name gin_trgm_ops);
CREATE STATISTICS voice_labels ON (lower(labels->>'gender')), (lower(labels->>'age')), (lower(labels->>'accent')),
  (lower(labels->>'use_case')) FROM voice;

CREATE TABLE voice_sample (
  id text PRIMARY KEY,
  voice_id text NOT NULL CONSTRAINT voice_sample_voice_fk REFERENCES voice (id) ON DELETE CASCADE,
  file_name text NOT NULL,
  media_type text NOT NULL,
  size_bytes integer NOT NULL,
  audio_digest text NOT NULL,
  duration_secs double precision NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX voice_sample_voice_idx ON voice_sample (voice_id);
CREATE INDEX voice_sample_audio_idx ON voice_sample (audio_digest);

-- Which preview a customer chose over which other. It holds what the previews said, because it outlives them.
CREATE TABLE preview_preference (
  chosen_preview_id text NOT NULL,
  rejected_preview_id text NOT NULL,
  voice_id text NOT NULL,
  account_id uuid NOT NULL,
  description text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  text text,
  engine text,
  chosen_spec jsonb,
  rejected_spec jsonb,
  PRIMARY KEY (chosen_preview_id, rejected_preview_id)
);
CREATE INDEX preview_preference_created_idx
  ON preview_preference (created_at, chosen_preview_id, rejected_preview_id);
`;

const REVIEWS = `
CREATE TABLE outbox (
  id bigserial PRIMARY KEY,
  job text NOT NULL,
  payload jsonb NOT NULL,
  -- Null for a message that is not about a voice.
  voice_id text,
  available_at timestamptz NOT NULL DEFAULT now(),
  lease_owner uuid,
  lease_until timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70);
CREATE INDEX outbox_available_idx ON outbox (available_at);
CREATE INDEX outbox_voice_idx ON outbox (voice_id);

CREATE TABLE review (
  voice_id text NOT NULL,
  generation integer NOT NULL,
  audio_digest text NOT NULL,
  ruleset text NOT NULL,
  measurements jsonb,
  impairments jsonb,
  score double precision,
  grade text NOT NULL,
  reason text NOT NULL,
  low_confidence boolean NOT NULL DEFAULT false,
  decided_by text NOT NULL DEFAULT 'ruleset',
  took_ms integer NOT NULL,
  completed_at timestamptz NOT NULL DEFAULT now(),
  -- What a model says of the recording, beside the verdict.
  second_opinion jsonb,
  PRIMARY KEY (voice_id, generation)
);

CREATE TABLE review_event (
  id bigserial PRIMARY KEY,
  voice_id text NOT NULL,
  generation integer NOT NULL,
  from_state text,
  to_state text NOT NULL,
  cause text NOT NULL,
  actor text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX review_event_voice_idx ON review_event (voice_id, id);
CREATE INDEX review_event_at_idx ON review_event (at);
`;

const WEBHOOKS = `
CREATE TABLE webhook_endpoint (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  sealed_secret text NOT NULL,
  secret_hint text NOT NULL,
  disabled_at timestamptz,
  disabled_reason text CHECK (disabled_reason IN ('staff', 'customer', 'failing')),
  failing_since timestamptz,
  last_error text,
  last_success_at timestamptz,
  version bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_endpoint_account_idx ON webhook_endpoint (account_id, created_at);

CREATE TABLE webhook_delivery (
  id bigserial PRIMARY KEY,
  endpoint_id uuid NOT NULL CONSTRAINT webhook_delivery_endpoint_fk REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  body text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  dispatch integer NOT NULL DEFAULT 1,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  delivered_at timestamptz
);
CREATE INDEX webhook_delivery_endpoint_idx ON webhook_delivery (endpoint_id, id);
CREATE INDEX webhook_delivery_due_idx ON webhook_delivery (due_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_done_idx ON webhook_delivery (created_at) WHERE state <> 'pending';

CREATE TABLE webhook_attempt (
  id bigserial PRIMARY KEY,
  delivery_id bigint NOT NULL CONSTRAINT webhook_attempt_delivery_fk REFERENCES webhook_delivery (id) ON DELETE CASCADE,
  at timestamptz NOT NULL DEFAULT now(),
  status integer,
  ms integer NOT NULL,
  error text,
  answer text
);
CREATE INDEX webhook_attempt_delivery_idx ON webhook_attempt (delivery_id, id);

-- The thresholds of credits that an account or a key with a limit of its own was notified of.
CREATE TABLE webhook_quota_notice (
  subject_id uuid NOT NULL,
  period_start timestamptz NOT NULL,
  threshold integer NOT NULL,
  PRIMARY KEY (subject_id, period_start, threshold)
);
`;

// Tables of the sign-in library, with our columns for members; those after a comment are ours. A test compares them with what
// the library expects.
const STAFF = `
CREATE SCHEMA staff_auth;

CREATE TABLE staff_auth.member (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL CHECK (email = lower(email)),
  email_verified boolean NOT NULL DEFAULT true,
  image text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  two_factor_enabled boolean NOT NULL DEFAULT false,
  role text NOT NULL CHECK (role IN ('admin', 'account_manager', 'support', 'ops')),
  disabled_at timestamptz,
  one_time_password_until timestamptz,
  version integer NOT NULL DEFAULT 1,
  -- The first admin's password does not expire, and must be changed all the same.
  must_change_password boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX member_email_idx ON staff_auth.member (email);

CREATE TABLE staff_auth.session (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  expires_at timestamptz NOT NULL,
  token text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  ip_address text,
  user_agent text,
  member_id uuid NOT NULL REFERENCES staff_auth.member (id) ON DELETE CASCADE,
  -- When the member last proved with this session, by password or code, who they are.
  confirmed_at timestamptz DEFAULT now()
);
CREATE INDEX session_member_id_idx ON staff_auth.session (member_id);
CREATE INDEX session_expires_at_idx ON staff_auth.session (expires_at);

CREATE TABLE staff_auth.account (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id text NOT NULL,
  provider_id text NOT NULL,
  member_id uuid NOT NULL REFERENCES staff_auth.member (id) ON DELETE CASCADE,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (provider_id, account_id),
  -- The identity provider says who a member is, and nothing else: its tokens have no use here.
  CHECK (access_token IS NULL AND refresh_token IS NULL AND id_token IS NULL)
);
CREATE INDEX account_member_id_idx ON staff_auth.account (member_id);

CREATE TABLE staff_auth.verification (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX verification_identifier_idx ON staff_auth.verification (identifier);
CREATE INDEX verification_expires_at_idx ON staff_auth.verification (expires_at);

CREATE TABLE staff_auth.two_factor (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  secret text NOT NULL,
  backup_codes text NOT NULL,
  member_id uuid NOT NULL REFERENCES staff_auth.member (id) ON DELETE CASCADE,
  verified boolean,
  failed_verification_count integer,
  locked_until timestamptz,
  -- The time step (RFC 6238) of the last code that was accepted: that code and earlier ones are used up.
  last_step bigint
);
CREATE INDEX two_factor_secret_idx ON staff_auth.two_factor (secret);
CREATE INDEX two_factor_member_id_idx ON staff_auth.two_factor (member_id);

-- Attempts that are left, one token bucket for each key. They may be lost in a crash.
CREATE UNLOGGED TABLE staff_auth.attempt_bucket (
  key text PRIMARY KEY,
  tokens double precision NOT NULL,
  updated_at timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX attempt_bucket_updated_at_idx ON staff_auth.attempt_bucket (updated_at);

CREATE TABLE staff_auth.role_policy (
  role text PRIMARY KEY CHECK (role IN ('admin', 'account_manager', 'support', 'ops')),
  second_factor_required boolean NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1
);
INSERT INTO staff_auth.role_policy (role) VALUES ('admin'), ('account_manager'), ('support'), ('ops');
`;

const AUDIT = `
CREATE TABLE audit_event (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  day date NOT NULL,
  seq integer NOT NULL,
  at timestamptz NOT NULL,
  actor_kind text NOT NULL CHECK (actor_kind IN ('staff', 'customer', 'system')),
  actor_id text NOT NULL,
  actor_name text NOT NULL,
  actor_role text,
  action text NOT NULL,
  target_type text NOT NULL,
  target_id text NOT NULL,
  account_id uuid,
  before jsonb,
  after jsonb,
  reason text,
  address text,
  request_id text,
  hash text NOT NULL
);
CREATE UNIQUE INDEX audit_event_chain_idx ON audit_event (day, seq);
CREATE INDEX audit_event_actor_idx ON audit_event (actor_id, id);
CREATE INDEX audit_event_target_idx ON audit_event (target_id, id);
CREATE INDEX audit_event_account_idx ON audit_event (account_id, id);
CREATE INDEX audit_event_action_idx ON audit_event (action text_pattern_ops, id);
CREATE INDEX audit_event_at_idx ON audit_event (at);

CREATE TABLE audit_head (
  day date PRIMARY KEY,
  seq integer NOT NULL,
  hash text NOT NULL,
  at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- The migrating role drops the rights it does not need. Where the application runs as another role, that one is
-- granted SELECT and INSERT on audit_event and SELECT, INSERT and UPDATE on audit_head, and nothing more.
REVOKE UPDATE, DELETE, TRUNCATE ON audit_event FROM PUBLIC, CURRENT_USER;
REVOKE DELETE, TRUNCATE ON audit_head FROM PUBLIC, CURRENT_USER;
`;

const PROCESSES = `
CREATE TABLE api_process (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE worker_process (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  concurrency integer NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  waiting integer NOT NULL DEFAULT 0,
  idle_ms integer NOT NULL DEFAULT 0,
  is_stuck boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);

-- The functions and views that the migrator has applied from libs/database/schema/sql, with the digest of each file then.
CREATE TABLE sql_definition (
  name text PRIMARY KEY,
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
`;

const TRIGGER_FUNCTIONS = ['forget_left_entries', 'refuse_audit_change', 'set_voice_search_text'];

const TRIGGERS = `
CREATE TRIGGER api_key_list_changed AFTER UPDATE OF allowed_ips ON api_key
  FOR EACH ROW WHEN (OLD.allowed_ips IS DISTINCT FROM NEW.allowed_ips) EXECUTE FUNCTION forget_left_entries();

CREATE TRIGGER voice_search_text BEFORE INSERT OR UPDATE OF name, description, labels ON voice
  FOR EACH ROW EXECUTE FUNCTION set_voice_search_text();

CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE ON audit_event
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_event_no_truncate BEFORE TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_head_no_removal BEFORE DELETE ON audit_head
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_head_no_truncate BEFORE TRUNCATE ON audit_head
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
`;
