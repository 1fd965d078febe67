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
  -- The voices that it came of, nearest first.
  origin_voice_ids text[] NOT NULL DEFAULT '{}',
  CONSTRAINT preview_outcome_check CHECK (audio_digest IS NULL OR failed_at IS NULL)
);
-- Previews that became a voice stay with it, and leave the index of what expires.
CREATE INDEX preview_expires_idx ON preview (expires_at) WHERE voice_id IS NULL;
CREATE INDEX preview_account_idx ON preview (account_id, created_at, id);
CREATE INDEX preview_audio_idx ON preview (audio_digest);
CREATE INDEX preview_pending_idx ON preview (created_at) WHERE audio_digest IS NULL AND failed_at IS NULL;
CREATE INDEX preview_request_idx ON preview (request_id);
CREATE INDEX preview_origin_idx ON preview USING gin (origin_voice_ids) WHERE origin_voice_ids <> '{}';

CREATE TABLE voice (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  labels jsonb NOT NULL,
  -- Null for a voice of recordings.
  preview_id text,
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
  understood jsonb,
  shared_at timestamptz,
  safety_state text,
  safety_notice text,
  tags text[] NOT NULL DEFAULT '{}',
  -- The voices that it came of, nearest first, and the one whose decision it follows.
  origin_voice_ids text[] NOT NULL DEFAULT '{}',
  safety_origin_id text
);
CREATE INDEX voice_account_idx ON voice (account_id, created_at, id);
CREATE INDEX voice_review_idx ON voice (review_state, review_touched_at);
CREATE UNIQUE INDEX voice_preview_idx ON voice (preview_id);
CREATE INDEX voice_name_idx ON voice (account_id, (lower(name) COLLATE "C"), id);
-- The owner and the text are in one index, because the planner underrates what the common words of all owners cost.
CREATE INDEX voice_search_idx ON voice USING gin (account_id, search_text gin_trgm_ops);
-- With the name, so that a search among the newest voices reads the index only.
CREATE INDEX voice_created_idx ON voice (created_at, id) INCLUDE (name);
CREATE INDEX voice_touched_idx ON voice (review_touched_at, id);
CREATE INDEX voice_all_names_idx ON voice (lower(name) COLLATE "C", id);
CREATE INDEX voice_name_part_idx ON voice USING gin (plain_text(name) gin_trgm_ops);
CREATE INDEX voice_request_idx ON voice (request_id);
CREATE INDEX voice_shared_idx ON voice (shared_at, id) WHERE shared_at IS NOT NULL;
CREATE INDEX voice_safety_idx ON voice (safety_state, id) WHERE safety_state IS NOT NULL;
CREATE INDEX voice_tags_idx ON voice USING gin (tags) WHERE tags <> '{}';
CREATE INDEX voice_origin_idx ON voice USING gin (origin_voice_ids) WHERE origin_voice_ids <> '{}';
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
  created_at timestamptz NOT NULL DEFAULT now(),
  position integer NOT NULL DEFAULT 0
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

-- What names, descriptions and texts of voices must not have.
CREATE TABLE screening_entry (
  id uuid PRIMARY KEY,
  list text NOT NULL CHECK (list IN ('blocked_words', 'blocked_anywhere', 'protected_names')),
  text text NOT NULL,
  account_id uuid,
  added_by text NOT NULL,
  added_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX screening_entry_text_idx ON screening_entry (list, lower(text));

CREATE TABLE screening_setting (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  profanity boolean NOT NULL DEFAULT false,
  version bigint NOT NULL DEFAULT 1
);
INSERT INTO screening_setting DEFAULT VALUES;

-- What voices have spoken.
CREATE TABLE history_item (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  voice_id text NOT NULL,
  voice_name text NOT NULL,
  model_id text NOT NULL,
  text text NOT NULL,
  settings jsonb NOT NULL,
  characters int NOT NULL,
  characters_before bigint NOT NULL,
  media_type text NOT NULL,
  output_format text NOT NULL,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX history_item_account_idx ON history_item (account_id, created_at, id);
CREATE INDEX history_item_created_idx ON history_item (created_at);

-- The audio of that, in pieces.
CREATE TABLE history_piece (
  history_item_id text NOT NULL,
  position int NOT NULL,
  audio_digest text NOT NULL,
  size_bytes int NOT NULL,
  PRIMARY KEY (history_item_id, position),
  CONSTRAINT history_piece_item_fk FOREIGN KEY (history_item_id) REFERENCES history_item (id) ON DELETE CASCADE
);
CREATE INDEX history_piece_audio_idx ON history_piece (audio_digest);
