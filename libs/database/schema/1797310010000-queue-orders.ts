import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pauses of queues survive the loss of a queue's backend; a message that fails keeps the time at which it was due first. */
export class QueueOrders1797310010000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE queue_order (
        queue text PRIMARY KEY,
        is_paused boolean,
        ordered_by text,
        reason text,
        ordered_at timestamptz NOT NULL DEFAULT now()
      );
      ALTER TABLE outbox ADD COLUMN due_at timestamptz NOT NULL DEFAULT now();
      UPDATE outbox SET due_at = CASE WHEN last_error IS NULL THEN available_at ELSE created_at END;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE outbox DROP COLUMN due_at');
    await queryRunner.query('DROP TABLE queue_order');
  }
}
