import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What names, descriptions and texts of voices must not have. */
export class Screening1797100043000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
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
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE screening_entry, screening_setting');
  }
}
