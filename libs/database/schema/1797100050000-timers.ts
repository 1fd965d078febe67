import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the timers of each worker have done, and what staff order of them. */
export class Timers1797100050000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE timer_run (
        worker_id uuid NOT NULL,
        name text NOT NULL,
        worker text NOT NULL,
        every_ms integer NOT NULL,
        runs bigint NOT NULL,
        failures bigint NOT NULL,
        began_at timestamptz NOT NULL,
        ended_at timestamptz,
        took_ms real,
        did jsonb,
        did_at timestamptz,
        error text,
        failed_at timestamptz,
        next_at timestamptz,
        noted_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (name, worker_id)
      );
      CREATE TABLE timer_order (
        name text PRIMARY KEY,
        paused_until timestamptz,
        paused_by text,
        pause_reason text,
        run_requested_at timestamptz
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE timer_order; DROP TABLE timer_run');
  }
}
