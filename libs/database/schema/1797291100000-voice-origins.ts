import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which voices a voice and a preview came of, and which of them a decision against a voice came from. */
export class VoiceOrigins1797291100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE preview ADD COLUMN origin_voice_ids text[] NOT NULL DEFAULT '{}';
      ALTER TABLE voice ADD COLUMN origin_voice_ids text[] NOT NULL DEFAULT '{}', ADD COLUMN safety_origin_id text;
      WITH RECURSIVE origin AS (
        SELECT id, remixed_voice_id, 1 AS depth FROM preview WHERE remixed_voice_id IS NOT NULL
        UNION ALL
        SELECT o.id, p.remixed_voice_id, o.depth + 1 FROM origin o JOIN voice v ON v.id = o.remixed_voice_id
          JOIN preview p ON p.id = v.preview_id WHERE p.remixed_voice_id IS NOT NULL
      )
      UPDATE preview p SET origin_voice_ids = o.ids
      FROM (SELECT id, array_agg(remixed_voice_id ORDER BY depth) AS ids FROM origin GROUP BY id) o WHERE o.id = p.id;
      UPDATE voice v SET origin_voice_ids = p.origin_voice_ids FROM preview p
      WHERE p.id = v.preview_id AND p.origin_voice_ids <> '{}';
      CREATE INDEX preview_origin_idx ON preview USING gin (origin_voice_ids) WHERE origin_voice_ids <> '{}';
      CREATE INDEX voice_origin_idx ON voice USING gin (origin_voice_ids) WHERE origin_voice_ids <> '{}';
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE preview DROP COLUMN origin_voice_ids;
      ALTER TABLE voice DROP COLUMN origin_voice_ids, DROP COLUMN safety_origin_id;
    `);
  }
}
