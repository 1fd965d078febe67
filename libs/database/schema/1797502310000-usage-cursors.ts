import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where sinks of usage stand. Lines are found by their id and their time: in blocks, which costs a charge nothing. */
export class UsageCursors1797502310000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE usage_cursor (
        name text PRIMARY KEY,
        line_id bigint NOT NULL,
        ahead bigint[] NOT NULL DEFAULT '{}',
        delivered bigint NOT NULL DEFAULT 0,
        delivered_at timestamptz,
        lease uuid,
        leased_until timestamptz,
        failures int NOT NULL DEFAULT 0,
        failing_since timestamptz,
        last_error text
      ) WITH (fillfactor = 50);
      CREATE INDEX ledger_line_id_time_idx ON ledger_line USING brin (id, created_at) WITH (autosummarize = on)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ledger_line_id_time_idx; DROP TABLE usage_cursor');
  }
}
