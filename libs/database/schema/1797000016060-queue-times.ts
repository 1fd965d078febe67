import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What times of queues are read from: when attempts were made and when workers started, with which release. */
export class QueueTimes1797000016060 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX webhook_attempt_at_idx ON webhook_attempt (at);
      CREATE TABLE worker_start (
        worker_id uuid PRIMARY KEY,
        name text NOT NULL,
        release text NOT NULL,
        at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX worker_start_at_idx ON worker_start (at);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE worker_start; DROP INDEX webhook_attempt_at_idx');
  }
}
