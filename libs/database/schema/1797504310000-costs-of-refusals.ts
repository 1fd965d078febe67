import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a refused request would have cost, in credits, of earlier ones not known; and keys by what has refused them lately. */
export class CostsOfRefusals1797504310000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE key_refusal ADD COLUMN cost bigint');
    await runner.query('CREATE INDEX key_refusal_gate_idx ON key_refusal (gate, at, key_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX key_refusal_gate_idx');
    await runner.query('ALTER TABLE key_refusal DROP COLUMN cost');
  }
}
