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
  created_at timestamptz NOT NULL DEFAULT now(),
  -- For a job that waits for the turn of its account.
  account_id uuid,
  is_bulk boolean NOT NULL DEFAULT false,
  -- When it was due first; available_at moves when it fails.
  due_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70);
CREATE INDEX outbox_available_idx ON outbox (available_at);
CREATE INDEX outbox_voice_idx ON outbox (voice_id);
CREATE INDEX outbox_turn_idx ON outbox (account_id, is_bulk, available_at) WHERE account_id IS NOT NULL;
-- What waits for no turn is found without reading the reviews that do.
CREATE INDEX outbox_due_idx ON outbox (available_at) WHERE account_id IS NULL;

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
  samples jsonb,
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

-- The reviews that the queue has.
CREATE TABLE queued_review (
  voice_id text PRIMARY KEY,
  generation integer NOT NULL,
  account_id uuid NOT NULL,
  is_last boolean NOT NULL,
  queued_at timestamptz NOT NULL DEFAULT now(),
  -- A voice with much audio is reviewed in several turns, each with a separate job.
  turn integer NOT NULL DEFAULT 0
);

-- Accounts whose reviews staff hold, or move behind those of all others, until a time.
CREATE TABLE review_hold (
  account_id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('held', 'behind')),
  reason text NOT NULL,
  set_by text NOT NULL,
  set_at timestamptz NOT NULL DEFAULT now(),
  ends_at timestamptz NOT NULL
);

-- What a review has measured, so that a stop of its worker costs one sample at most.
CREATE TABLE measured_sample (
  sample_id text PRIMARY KEY CONSTRAINT measured_sample_sample_fk REFERENCES voice_sample (id) ON DELETE CASCADE,
  voice_id text NOT NULL,
  verdict jsonb NOT NULL,
  no_go jsonb NOT NULL
);
CREATE INDEX measured_sample_voice_idx ON measured_sample (voice_id);

-- Voices that wait for the decision of a person.
CREATE TABLE review_item (
  id uuid PRIMARY KEY,
  voice_id text NOT NULL CONSTRAINT review_item_voice_fk REFERENCES voice (id) ON DELETE CASCADE,
  reasons text[] NOT NULL,
  note text,
  priority integer NOT NULL,
  due_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  assigned_to uuid,
  taken_by uuid,
  taken_until timestamptz,
  snoozed_until timestamptz,
  snooze_note text,
  decided_at timestamptz,
  decided_by text,
  decision text,
  decided_grade text,
  first_listening uuid,
  first_listener uuid,
  batch_id uuid,
  batch_by uuid,
  -- What the decision replaced, so that it can be undone.
  replaced jsonb
);
CREATE UNIQUE INDEX review_item_open_idx ON review_item (voice_id)
  WHERE decided_at IS NULL AND first_listening IS NULL;
CREATE UNIQUE INDEX review_item_blind_idx ON review_item (voice_id)
  WHERE decided_at IS NULL AND first_listening IS NOT NULL;
CREATE INDEX review_item_queue_idx ON review_item (priority DESC, due_at, id) WHERE decided_at IS NULL;
CREATE INDEX review_item_decided_idx ON review_item (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX review_item_batch_idx ON review_item (batch_by, decided_at) WHERE batch_id IS NOT NULL;

-- Who is at the review desk, and with which item.
CREATE TABLE review_desk_visitor (
  staff_id uuid PRIMARY KEY,
  item_id uuid,
  seen_at timestamptz NOT NULL DEFAULT now()
);

-- What customers object to in the reviews of their voices, and the response.
CREATE TABLE review_appeal (
  id uuid PRIMARY KEY,
  voice_id text NOT NULL CONSTRAINT review_appeal_voice_fk REFERENCES voice (id) ON DELETE CASCADE,
  item_id uuid NOT NULL,
  generation integer NOT NULL,
  ruleset text,
  grade text NOT NULL,
  text text NOT NULL,
  made_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  outcome text,
  answer text,
  answered_grade text,
  answered_by text,
  answered_at timestamptz
);
CREATE UNIQUE INDEX review_appeal_open_idx ON review_appeal (voice_id) WHERE answered_at IS NULL;
CREATE UNIQUE INDEX review_appeal_verdict_idx ON review_appeal (voice_id, generation);
CREATE INDEX review_appeal_item_idx ON review_appeal (item_id);

-- Grades that people gave, beside those of the rules.
CREATE TABLE listening (
  id uuid PRIMARY KEY,
  voice_id text NOT NULL CONSTRAINT listening_voice_fk REFERENCES voice (id) ON DELETE CASCADE,
  audio_digest text NOT NULL,
  grade text NOT NULL,
  ruleset text,
  ruleset_grade text,
  reason_codes text[] NOT NULL,
  first_id uuid,
  listened_by uuid NOT NULL,
  listened_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX listening_at_idx ON listening (listened_at);
CREATE INDEX listening_voice_idx ON listening (voice_id);

CREATE TABLE voice_comment (
  id uuid PRIMARY KEY,
  voice_id text NOT NULL CONSTRAINT voice_comment_voice_fk REFERENCES voice (id) ON DELETE CASCADE,
  text text NOT NULL,
  written_by uuid NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX voice_comment_voice_idx ON voice_comment (voice_id, written_at);
