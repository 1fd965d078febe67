-- Tables of the sign-in library, with our columns for members; those after a comment are ours. A test compares them with what
-- the library expects.
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
  must_change_password boolean NOT NULL DEFAULT false,
  passkeys integer NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX member_email_idx ON staff_auth.member (email);

CREATE TABLE staff_auth.passkey (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  public_key text NOT NULL,
  member_id uuid NOT NULL REFERENCES staff_auth.member (id) ON DELETE CASCADE,
  credential_id text NOT NULL UNIQUE,
  -- 32 bits without a sign; a double holds them and reaches the library as a number.
  counter double precision NOT NULL,
  device_type text NOT NULL,
  backed_up boolean NOT NULL,
  transports text,
  created_at timestamptz NOT NULL DEFAULT now(),
  aaguid text,
  last_used_at timestamptz
);
CREATE INDEX passkey_member_id_idx ON staff_auth.passkey (member_id);

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
  confirmed_at timestamptz DEFAULT now(),
  -- The passkey with which the member proved, in this session, who they are.
  passkey_id uuid REFERENCES staff_auth.passkey (id) ON DELETE SET NULL
);
CREATE INDEX session_member_id_idx ON staff_auth.session (member_id);
CREATE INDEX session_expires_at_idx ON staff_auth.session (expires_at);
CREATE INDEX session_passkey_id_idx ON staff_auth.session (passkey_id) WHERE passkey_id IS NOT NULL;

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

-- Lists that members have saved.
CREATE TABLE saved_view (
  id uuid PRIMARY KEY,
  staff_id uuid NOT NULL REFERENCES staff_auth.member (id) ON DELETE CASCADE,
  screen text NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX saved_view_name_idx ON saved_view (staff_id, screen, name);

-- Changes that a member of staff has requested and that a second one has to approve.
CREATE TABLE approval (
  id uuid PRIMARY KEY,
  kind text NOT NULL,
  target_type text NOT NULL,
  target_id text NOT NULL,
  account_id uuid,
  target_version integer,
  args jsonb NOT NULL,
  action text NOT NULL,
  before jsonb,
  after jsonb,
  reason text NOT NULL,
  requested_by text NOT NULL,
  requested_by_name text NOT NULL,
  request_address text,
  request_id text,
  requested_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  status text NOT NULL DEFAULT 'waiting'
    CONSTRAINT approval_status_check
    CHECK (status IN ('waiting', 'approved', 'declined', 'withdrawn', 'expired')),
  decided_by text,
  decided_at timestamptz,
  decision_reason text
);
CREATE INDEX approval_requested_idx ON approval (requested_at, id);
CREATE INDEX approval_account_idx ON approval (account_id, requested_at);
CREATE UNIQUE INDEX approval_waiting_idx ON approval (kind, target_id) WHERE status = 'waiting';
CREATE INDEX approval_expiry_idx ON approval (expires_at) WHERE status = 'waiting';
