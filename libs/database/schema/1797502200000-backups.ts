import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Backups that were begun, how they ended, and whether they were proved. Files outlive their rows, and rows their files. */
export class Backups1797502200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE backup_run (
         name text PRIMARY KEY,
         place text NOT NULL,
         started_at timestamptz NOT NULL,
         ended_at timestamptz,
         bytes bigint,
         error text,
         proved_at timestamptz,
         proof_error text
       )`,
    );
    await runner.query('CREATE INDEX backup_run_started_at_idx ON backup_run (started_at)');
    await runner.query(
      `INSERT INTO alert_rule (id, scope, kind, threshold, channels)
       VALUES ('00000000-0000-4000-8000-000000000019', 'installation', 'backup_missing', 36, '{email,chat}')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM alert_rule WHERE kind = 'backup_missing'`);
    await runner.query('DROP TABLE backup_run');
  }
}
