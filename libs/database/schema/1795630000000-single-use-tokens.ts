import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens that stand for a key in one request. */
export class SingleUseTokens1795630000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE single_use_token (
        digest text PRIMARY KEY,
        key_id uuid NOT NULL,
        type text NOT NULL,
        address text,
        max_credits bigint CHECK (max_credits >= 0),
        pinned_id text,
        expires_at timestamptz NOT NULL,
        used_at timestamptz
      );
      CREATE INDEX single_use_token_expires_idx ON single_use_token (expires_at);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE single_use_token');
  }
}
