import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Kinds of alert whose first rules this database has had: `addFirstAlertRules` adds those of a new kind once. */
export class AlertKinds1797503000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE alert_kind (name text PRIMARY KEY)');
    await runner.query(
      `INSERT INTO alert_kind SELECT unnest('{
         credits_used, credits_forecast, spend_spike, key_expiring, rotation_ending, key_idle, rotation_due, idle_warning, list_refused,
         new_network, new_country, key_leaked, review_backlog, dead_letters, receiver_failing, backup_missing}'::text[])`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE alert_kind');
  }
}
