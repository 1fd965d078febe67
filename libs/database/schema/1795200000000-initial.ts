import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts, keys, credits, previews, voices, reviews and the outbox. */
export class Initial1795200000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLES);
    await queryRunner.query(CREDIT_FUNCTIONS);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP FUNCTION settle_charges, refund_charge, roll_over_balances, billing_period;
      DROP TABLE review_event, review, outbox, preview_preference, voice_sample, voice, preview, audio_object,
        credit_balance_history, credit_ledger, credit_balance, api_key_secret, api_key, account;
    `);
  }
}

const TABLES = `
CREATE TABLE account (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  tier text NOT NULL,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'closed')),
  voice_limit integer NOT NULL CHECK (voice_limit >= 0),
  concurrency_limit integer NOT NULL CHECK (concurrency_limit >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

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
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_key_account_idx ON api_key (account_id, created_at);

CREATE TABLE api_key_secret (
  digest text PRIMARY KEY,
  key_id uuid NOT NULL,
  hint text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_key_secret_key_idx ON api_key_secret (key_id);

CREATE TABLE credit_balance (
  subject_id uuid PRIMARY KEY,
  subject text NOT NULL CHECK (subject IN ('account', 'key')),
  account_id uuid NOT NULL,
  credit_limit bigint CHECK (credit_limit >= 0),
  used bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
  period_anchor timestamptz NOT NULL,
  period_start timestamptz NOT NULL,
  period_end timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX credit_balance_account_idx ON credit_balance (account_id);

CREATE TABLE credit_balance_history (
  subject_id uuid NOT NULL,
  period_start timestamptz NOT NULL,
  account_id uuid NOT NULL,
  credit_limit bigint,
  used bigint NOT NULL CHECK (used >= 0),
  PRIMARY KEY (subject_id, period_start)
);

CREATE TABLE credit_ledger (
  id bigserial PRIMARY KEY,
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  period_start timestamptz NOT NULL,
  kind text NOT NULL CHECK (kind IN ('charge', 'refund')),
  amount bigint NOT NULL,
  operation text NOT NULL,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX credit_ledger_request_idx ON credit_ledger (account_id, request_id, kind);
CREATE INDEX credit_ledger_account_idx ON credit_ledger (account_id, period_start);
CREATE INDEX credit_ledger_key_idx ON credit_ledger (key_id, period_start);

CREATE TABLE audio_object (
  digest text PRIMARY KEY,
  media_type text NOT NULL,
  size_bytes integer NOT NULL,
  bytes bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- Compressed audio does not compress again, and uncompressed storage lets a range be read without reading the rest.
ALTER TABLE audio_object ALTER COLUMN bytes SET STORAGE EXTERNAL;

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
  audio_digest text NOT NULL,
  duration_secs double precision NOT NULL,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX preview_expires_idx ON preview (expires_at);
CREATE INDEX preview_audio_idx ON preview (audio_digest);

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
  recording_quality_reason text
);
CREATE INDEX voice_account_idx ON voice (account_id, created_at);
CREATE INDEX voice_review_idx ON voice (review_state, review_touched_at);
CREATE UNIQUE INDEX voice_preview_idx ON voice (preview_id);

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

CREATE TABLE preview_preference (
  chosen_preview_id text NOT NULL,
  rejected_preview_id text NOT NULL,
  voice_id text NOT NULL,
  account_id uuid NOT NULL,
  description text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (chosen_preview_id, rejected_preview_id)
);

CREATE TABLE outbox (
  id bigserial PRIMARY KEY,
  job text NOT NULL,
  payload jsonb NOT NULL,
  voice_id text NOT NULL,
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
`;

export const REFUND_CHARGE = `
-- Takes a charge back, once. Returns the credits given back: 0 when there was no such charge or it was refunded before.
CREATE FUNCTION refund_charge(p_account_id uuid, p_request_id text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  charge credit_ledger;
  ids uuid[];
BEGIN
  SELECT * INTO charge FROM credit_ledger l
    WHERE l.account_id = p_account_id AND l.request_id = p_request_id AND l.kind = 'charge';
  IF NOT FOUND THEN RETURN 0; END IF;
  ids := ARRAY[charge.key_id, charge.account_id];
  PERFORM 1 FROM credit_balance b WHERE b.subject_id = ANY (ids) ORDER BY b.subject_id FOR UPDATE;
  INSERT INTO credit_ledger (account_id, key_id, period_start, kind, amount, operation, request_id)
    VALUES (charge.account_id, charge.key_id, charge.period_start, 'refund', -charge.amount, charge.operation, p_request_id)
    ON CONFLICT (account_id, request_id, kind) DO NOTHING;
  IF NOT FOUND THEN RETURN 0; END IF;
  UPDATE credit_balance b SET used = b.used - charge.amount
    WHERE b.subject_id = ANY (ids) AND b.period_start = charge.period_start;
  UPDATE credit_balance_history h SET used = h.used - charge.amount
    WHERE h.subject_id = ANY (ids) AND h.period_start = charge.period_start;
  RETURN charge.amount;
END $$;
`;

const CREDIT_FUNCTIONS = `
-- The monthly billing period, counted from an anchor, that an instant lies in.
CREATE FUNCTION billing_period(anchor timestamptz, instant timestamptz, OUT period_start timestamptz, OUT period_end timestamptz)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  months int := greatest(0,
    (extract(year FROM instant AT TIME ZONE 'UTC') - extract(year FROM anchor AT TIME ZONE 'UTC')) * 12
    + extract(month FROM instant AT TIME ZONE 'UTC') - extract(month FROM anchor AT TIME ZONE 'UTC'))::int;
  local_anchor timestamp := anchor AT TIME ZONE 'UTC';
BEGIN
  IF months > 0 AND (local_anchor + make_interval(months => months)) AT TIME ZONE 'UTC' > instant THEN
    months := months - 1;
  END IF;
  period_start := (local_anchor + make_interval(months => months)) AT TIME ZONE 'UTC';
  period_end := (local_anchor + make_interval(months => months + 1)) AT TIME ZONE 'UTC';
END $$;

-- Moves balances whose period has ended into the current one; what they had used goes to the history.
-- The caller holds the row locks.
CREATE FUNCTION roll_over_balances(ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO credit_balance_history (subject_id, period_start, account_id, credit_limit, used)
    SELECT b.subject_id, b.period_start, b.account_id, b.credit_limit, b.used
    FROM credit_balance b WHERE b.subject_id = ANY (ids) AND b.period_end <= now();
  IF FOUND THEN
    UPDATE credit_balance b SET used = 0, period_start = p.period_start, period_end = p.period_end
    FROM credit_balance o, billing_period(o.period_anchor, now()) p
    WHERE o.subject_id = b.subject_id AND b.subject_id = ANY (ids) AND b.period_end <= now();
  END IF;
END $$;

-- Settles a batch of charges in the order given. Exact: the balances are locked first, and a charge is admitted only
-- if it and everything before it in the batch fits the key's and the account's remaining credits.
-- Outcomes: charged; repeated (this request id was charged before, with the same cost and operation); conflict (it was
-- charged with another cost or operation); refused (it does not fit); again (it would fit now that the batch is
-- settled: ask again); unknown (no such key or account).
CREATE FUNCTION settle_charges(key_ids uuid[], account_ids uuid[], costs bigint[], operations text[], request_ids text[])
RETURNS TABLE (pos bigint, outcome text, scope text, credit_limit bigint, remaining bigint, remaining_key bigint, remaining_account bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM credit_balance b WHERE b.subject_id = ANY (key_ids || account_ids) ORDER BY b.subject_id FOR UPDATE;
  PERFORM roll_over_balances(key_ids || account_ids);

  RETURN QUERY
  WITH request AS (
    SELECT * FROM unnest(key_ids, account_ids, costs, operations, request_ids)
      WITH ORDINALITY AS r (key_id, account_id, cost, operation, request_id, pos)
  ), earlier AS (
    SELECT r.pos, l.amount = r.cost AND l.operation = r.operation AND l.key_id = r.key_id AS same
    FROM request r JOIN credit_ledger l
      ON l.account_id = r.account_id AND l.request_id = r.request_id AND l.kind = 'charge'
  ), fresh AS (
    SELECT r.*,
      sum(r.cost) OVER (PARTITION BY r.key_id ORDER BY r.pos) AS key_running,
      sum(r.cost) OVER (PARTITION BY r.account_id ORDER BY r.pos) AS account_running
    FROM request r WHERE r.pos NOT IN (SELECT e.pos FROM earlier e)
  ), judged AS (
    SELECT f.pos, f.key_id, f.account_id, f.cost, f.operation, f.request_id, a.period_start,
      coalesce(k.credit_limit >= k.used + f.key_running, true)
        AND coalesce(a.credit_limit >= a.used + f.account_running, true) AS admitted
    FROM fresh f
    JOIN credit_balance k ON k.subject_id = f.key_id
    JOIN credit_balance a ON a.subject_id = f.account_id
  ), line AS (
    INSERT INTO credit_ledger (account_id, key_id, period_start, kind, amount, operation, request_id)
    SELECT j.account_id, j.key_id, j.period_start, 'charge', j.cost, j.operation, j.request_id
    FROM judged j WHERE j.admitted
  ), spent AS (
    SELECT s.subject_id, sum(s.cost) AS cost FROM (
      SELECT j.key_id AS subject_id, j.cost FROM judged j WHERE j.admitted
      UNION ALL SELECT j.account_id, j.cost FROM judged j WHERE j.admitted
    ) s GROUP BY s.subject_id
  ), moved AS (
    UPDATE credit_balance b SET used = b.used + s.cost FROM spent s WHERE b.subject_id = s.subject_id AND s.cost > 0
  ), left_over AS (
    SELECT b.subject_id, b.credit_limit, b.credit_limit - b.used - coalesce(s.cost, 0)::bigint AS remaining
    FROM credit_balance b LEFT JOIN spent s ON s.subject_id = b.subject_id
    WHERE b.subject_id = ANY (key_ids || account_ids)
  )
  SELECT r.pos,
    CASE
      WHEN e.pos IS NOT NULL THEN CASE WHEN e.same THEN 'repeated' ELSE 'conflict' END
      WHEN j.pos IS NULL THEN 'unknown'
      WHEN j.admitted THEN 'charged'
      WHEN k.remaining < r.cost OR a.remaining < r.cost THEN 'refused'
      ELSE 'again'
    END,
    CASE WHEN k.remaining < r.cost THEN 'key' ELSE 'account' END,
    CASE WHEN k.remaining < r.cost THEN k.credit_limit ELSE a.credit_limit END,
    CASE WHEN k.remaining < r.cost THEN k.remaining ELSE a.remaining END,
    k.remaining,
    a.remaining
  FROM request r
  LEFT JOIN earlier e ON e.pos = r.pos
  LEFT JOIN judged j ON j.pos = r.pos
  LEFT JOIN left_over k ON k.subject_id = r.key_id
  LEFT JOIN left_over a ON a.subject_id = r.account_id
  ORDER BY r.pos;
END $$;
${REFUND_CHARGE}`;
