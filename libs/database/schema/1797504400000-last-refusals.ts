import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When each gate has refused a key last: one row, however many requests were refused since. No index has the time, so that a refusal
 * is an update within its page.
 */
export class LastRefusals1797504400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE key_last_refusal (
        gate text NOT NULL,
        key_id uuid NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (gate, key_id)
      ) WITH (fillfactor = 70);
      INSERT INTO key_last_refusal
        SELECT outcome, key_id, max(last_at) FROM observed_traffic
        WHERE outcome IN ('state', 'account', 'ip', 'scope', 'limit', 'credits') GROUP BY 1, 2;
      DROP INDEX key_refusal_gate_idx`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX key_refusal_gate_idx ON key_refusal (gate, at, key_id);
      DROP TABLE key_last_refusal`);
  }
}
