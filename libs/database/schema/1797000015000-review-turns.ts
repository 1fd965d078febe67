import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reviews enter their queue in turns of accounts: whose each waiting job is, and which reviews the queue has. */
export class ReviewTurns1797000015000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE outbox ADD COLUMN account_id uuid;
      ALTER TABLE outbox ADD COLUMN is_bulk boolean NOT NULL DEFAULT false;
      UPDATE outbox o SET account_id = v.account_id,
        is_bulk = coalesce((o.payload ->> 'isBulk')::boolean, false)
        FROM voice v WHERE v.id = o.voice_id AND o.job = 'review-voice';
      CREATE INDEX outbox_turn_idx ON outbox (account_id, is_bulk, available_at) WHERE account_id IS NOT NULL;

      CREATE TABLE queued_review (
        voice_id text PRIMARY KEY,
        generation integer NOT NULL,
        account_id uuid NOT NULL,
        is_last boolean NOT NULL,
        queued_at timestamptz NOT NULL DEFAULT now()
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE queued_review;
      DROP INDEX outbox_turn_idx;
      ALTER TABLE outbox DROP COLUMN is_bulk;
      ALTER TABLE outbox DROP COLUMN account_id;
    `);
  }
}
