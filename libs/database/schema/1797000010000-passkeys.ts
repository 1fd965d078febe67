import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys of staff: a table of the sign-in library, with our columns after the comments. */
export class Passkeys1797000010000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE staff_auth.passkey (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        name text NOT NULL,
        public_key text NOT NULL,
        member_id uuid NOT NULL REFERENCES staff_auth.member (id) ON DELETE CASCADE,
        credential_id text NOT NULL UNIQUE,
        -- 32 bits without a sign; a double holds them and reaches the library as a number.
        counter double precision NOT NULL,
        device_type text NOT NULL,
        backed_up boolean NOT NULL,
        transports text,
        created_at timestamptz NOT NULL DEFAULT now(),
        aaguid text,
        last_used_at timestamptz
      );
      CREATE INDEX passkey_member_id_idx ON staff_auth.passkey (member_id);
      ALTER TABLE staff_auth.member ADD COLUMN passkeys integer NOT NULL DEFAULT 0;
      -- The passkey with which the member proved, in this session, who they are.
      ALTER TABLE staff_auth.session
        ADD COLUMN passkey_id uuid REFERENCES staff_auth.passkey (id) ON DELETE SET NULL;
      CREATE INDEX session_passkey_id_idx ON staff_auth.session (passkey_id) WHERE passkey_id IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE staff_auth.session DROP COLUMN passkey_id;
      ALTER TABLE staff_auth.member DROP COLUMN passkeys;
      DROP TABLE staff_auth.passkey;
    `);
  }
}
