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
