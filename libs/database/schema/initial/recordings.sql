-- How recordings sound.
CREATE TABLE recording_fingerprint (
  audio_digest text PRIMARY KEY
    CONSTRAINT recording_fingerprint_audio_fk REFERENCES audio_object (digest) ON DELETE CASCADE,
  steps bytea NOT NULL,
  keys integer[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX recording_fingerprint_keys_idx ON recording_fingerprint USING gin (keys) WITH (fastupdate = off);

-- Which of them are the same.
CREATE TABLE recording_likeness (
  audio_digest text CONSTRAINT recording_likeness_audio_fk
    REFERENCES recording_fingerprint (audio_digest) ON DELETE CASCADE,
  other_digest text CONSTRAINT recording_likeness_other_fk
    REFERENCES recording_fingerprint (audio_digest) ON DELETE CASCADE,
  bit_error_rate real NOT NULL,
  compared_secs real NOT NULL,
  PRIMARY KEY (audio_digest, other_digest)
);
CREATE INDEX recording_likeness_other_idx ON recording_likeness (other_digest);

-- Recordings that must not come back.
CREATE TABLE no_go_recording (
  voice_id text NOT NULL,
  audio_digest text NOT NULL,
  steps bytea,
  keys integer[] NOT NULL,
  voice_name text NOT NULL,
  account_id uuid NOT NULL,
  reason text NOT NULL,
  set_by text NOT NULL,
  set_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (voice_id, audio_digest)
);
CREATE INDEX no_go_recording_audio_idx ON no_go_recording (audio_digest);
CREATE INDEX no_go_recording_keys_idx ON no_go_recording USING gin (keys) WITH (fastupdate = off);

-- Voices with such a recording.
CREATE TABLE no_go_match (
  no_go_voice_id text NOT NULL,
  voice_id text CONSTRAINT no_go_match_voice_fk REFERENCES voice (id) ON DELETE CASCADE,
  bit_error_rate real NOT NULL,
  found_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (no_go_voice_id, voice_id)
);
CREATE INDEX no_go_match_voice_idx ON no_go_match (voice_id);

-- Who speaks in recordings, as a model of speakers describes it.
CREATE TABLE recording_speaker (
  audio_digest text PRIMARY KEY
    CONSTRAINT recording_speaker_audio_fk REFERENCES audio_object (digest) ON DELETE CASCADE,
  model text NOT NULL,
  vector real[] NOT NULL,
  signature bit(256) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- A search reads every signature of a model, and so few others that it never reads the table of vectors.
CREATE INDEX recording_speaker_signature_idx ON recording_speaker (model, signature, audio_digest);
