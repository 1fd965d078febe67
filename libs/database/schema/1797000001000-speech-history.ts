import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What voices have spoken, with its audio. */
export class SpeechHistory1797000001000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
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

      CREATE TABLE history_piece (
        history_item_id text NOT NULL,
        position int NOT NULL,
        audio_digest text NOT NULL,
        size_bytes int NOT NULL,
        PRIMARY KEY (history_item_id, position),
        CONSTRAINT history_piece_item_fk FOREIGN KEY (history_item_id) REFERENCES history_item (id) ON DELETE CASCADE
      );
      CREATE INDEX history_piece_audio_idx ON history_piece (audio_digest);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE history_piece, history_item');
  }
}
