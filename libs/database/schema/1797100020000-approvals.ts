import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes that a member of staff has requested and that a second one has to approve. */
export class Approvals1797100020000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE approval (
        id uuid PRIMARY KEY,
        kind text NOT NULL,
        target_type text NOT NULL,
        target_id text NOT NULL,
        account_id uuid,
        target_version integer,
        args jsonb NOT NULL,
        action text NOT NULL,
        before jsonb,
        after jsonb,
        reason text NOT NULL,
        requested_by text NOT NULL,
        requested_by_name text NOT NULL,
        request_address text,
        request_id text,
        requested_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        status text NOT NULL DEFAULT 'waiting'
          CONSTRAINT approval_status_check
          CHECK (status IN ('waiting', 'approved', 'declined', 'withdrawn', 'expired')),
        decided_by text,
        decided_at timestamptz,
        decision_reason text
      );
      CREATE INDEX approval_requested_idx ON approval (requested_at, id);
      CREATE INDEX approval_account_idx ON approval (account_id, requested_at);
      CREATE UNIQUE INDEX approval_waiting_idx ON approval (kind, target_id) WHERE status = 'waiting';
      CREATE INDEX approval_expiry_idx ON approval (expires_at) WHERE status = 'waiting';
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE approval');
  }
}
