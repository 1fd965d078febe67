import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rule for receivers of webhooks that fail, which every installation starts with; staff may change it. */
export class FailingReceivers1797400330000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `INSERT INTO alert_rule (id, scope, kind, threshold, channels)
       VALUES ('00000000-0000-4000-8000-000000000018', 'installation', 'receiver_failing', 30, '{email,chat}')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM alert_rule WHERE kind = 'receiver_failing'`);
  }
}
