import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Voices that customers find, edit and delete; previews that know their voice; preferences that outlive their previews. */
export class VoiceLibrary1795640000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(VOICES);
    await queryRunner.query(PREVIEWS);
    await queryRunner.query(IDEMPOTENCY);
  }

  // The extension stays: it may have been there before, and others may use it.
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE idempotent_request;
      ALTER TABLE preview_preference DROP COLUMN text, DROP COLUMN engine, DROP COLUMN chosen_spec,
        DROP COLUMN rejected_spec;
      DROP INDEX preview_preference_created_idx, preview_account_idx, preview_expires_idx;
      ALTER TABLE preview DROP COLUMN voice_id;
      CREATE INDEX preview_expires_idx ON preview (expires_at);
      DROP STATISTICS voice_labels;
      DROP INDEX voice_search_idx, voice_name_idx, voice_account_idx;
      DROP TRIGGER voice_search_text ON voice;
      DROP FUNCTION set_voice_search_text;
      ALTER TABLE voice DROP COLUMN settings, DROP COLUMN search_text;
      CREATE INDEX voice_account_idx ON voice (account_id, created_at);
    `);
  }
}

// The searched text is stored, in lower case and with single spaces: a match among thousands is then one comparison.
// An owner and a text are in one index, because the planner underrates what the common words of all owners cost.
const VOICES = `
CREATE EXTENSION IF NOT EXISTS btree_gin;

ALTER TABLE voice ADD COLUMN settings jsonb, ADD COLUMN search_text text NOT NULL DEFAULT '';

CREATE FUNCTION set_voice_search_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_text := lower(regexp_replace(
    ' ' || NEW.name || ' ' || NEW.description || ' '
      || coalesce((SELECT string_agg(label.value, ' ') FROM jsonb_each_text(NEW.labels) label), ''),
    '\\s+', ' ', 'g'));
  RETURN NEW;
END $$;
CREATE TRIGGER voice_search_text BEFORE INSERT OR UPDATE OF name, description, labels ON voice
  FOR EACH ROW EXECUTE FUNCTION set_voice_search_text();
UPDATE voice SET name = name;

DROP INDEX voice_account_idx;
CREATE INDEX voice_account_idx ON voice (account_id, created_at, id);
CREATE INDEX voice_name_idx ON voice (account_id, (lower(name) COLLATE "C"), id);
CREATE INDEX voice_search_idx ON voice USING gin (account_id, search_text gin_trgm_ops);
CREATE STATISTICS voice_labels ON (lower(labels->>'gender')), (lower(labels->>'age')), (lower(labels->>'accent')),
  (lower(labels->>'use_case')) FROM voice;
`;

// Previews that became a voice stay with it, and leave the index of what expires.
const PREVIEWS = `
ALTER TABLE preview ADD COLUMN voice_id text;
UPDATE preview p SET voice_id = v.id FROM voice v WHERE v.preview_id = p.id;
DROP INDEX preview_expires_idx;
CREATE INDEX preview_expires_idx ON preview (expires_at) WHERE voice_id IS NULL;
CREATE INDEX preview_account_idx ON preview (account_id, created_at, id);

ALTER TABLE preview_preference ADD COLUMN text text, ADD COLUMN engine text, ADD COLUMN chosen_spec jsonb,
  ADD COLUMN rejected_spec jsonb;
UPDATE preview_preference t SET text = c.text, engine = c.engine, chosen_spec = c.spec, rejected_spec = r.spec
  FROM preview c, preview r WHERE c.id = t.chosen_preview_id AND r.id = t.rejected_preview_id;
CREATE INDEX preview_preference_created_idx
  ON preview_preference (created_at, chosen_preview_id, rejected_preview_id);
`;

const IDEMPOTENCY = `
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
