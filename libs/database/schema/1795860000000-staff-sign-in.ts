import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How staff prove who they are: temporary passwords, digests of session tokens, recent confirmations, used codes, and what a role requires. */
export class StaffSignIn1795860000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(UP);
  }

  /** Nobody can turn a digest back into a token: every session ends. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DELETE FROM staff_auth.session;
      DROP TABLE staff_auth.role_policy;
      ALTER TABLE staff_auth.two_factor DROP COLUMN last_step;
      ALTER TABLE staff_auth.session DROP COLUMN confirmed_at;
      ALTER TABLE staff_auth.member DROP COLUMN must_change_password;
    `);
  }
}

const UP = `
-- The first admin's password has no end, and must be changed all the same.
ALTER TABLE staff_auth.member ADD COLUMN must_change_password boolean NOT NULL DEFAULT false;
UPDATE staff_auth.member SET must_change_password = true WHERE one_time_password_until IS NOT NULL;

-- When the member last proved with this session, by password or code, who they are.
ALTER TABLE staff_auth.session ADD COLUMN confirmed_at timestamptz DEFAULT now();
UPDATE staff_auth.session SET confirmed_at = created_at, token = encode(sha256(token::bytea), 'hex');

-- The time step (RFC 6238) of the last code that was accepted: codes of it and of earlier ones are used up.
ALTER TABLE staff_auth.two_factor ADD COLUMN last_step bigint;

CREATE TABLE staff_auth.role_policy (
  role text PRIMARY KEY CHECK (role IN ('admin', 'account_manager', 'support', 'ops')),
  second_factor_required boolean NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1
);
INSERT INTO staff_auth.role_policy (role) VALUES ('admin'), ('account_manager'), ('support'), ('ops');
`;
