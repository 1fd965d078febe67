import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts whose reviews staff hold, or move behind those of all others, until a time. */
export class ReviewHolds1797000016050 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE review_hold (
        account_id uuid PRIMARY KEY,
        kind text NOT NULL CHECK (kind IN ('held', 'behind')),
        reason text NOT NULL,
        set_by text NOT NULL,
        set_at timestamptz NOT NULL DEFAULT now(),
        ends_at timestamptz NOT NULL
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE review_hold');
  }
}
