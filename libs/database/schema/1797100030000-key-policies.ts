import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What tiers and accounts demand of their keys, and the idle keys that people were warned about. */
export class KeyPolicies1797100030000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE key_policy (
        id uuid PRIMARY KEY,
        tier text,
        account_id uuid,
        max_lifetime_days integer,
        rotation_age_days integer,
        idle_warn_days integer,
        idle_disable_days integer,
        updated_at timestamptz NOT NULL,
        CONSTRAINT key_policy_scope_check CHECK ((tier IS NULL) <> (account_id IS NULL))
      );
      CREATE UNIQUE INDEX key_policy_once_idx ON key_policy (tier, account_id) NULLS NOT DISTINCT;

      CREATE TABLE idle_key (
        key_id uuid PRIMARY KEY,
        idle_since timestamptz NOT NULL,
        warned_at timestamptz,
        disables_at timestamptz,
        disabled_at timestamptz,
        counted_from timestamptz
      );

      INSERT INTO alert_rule (id, scope, kind, threshold, channels) VALUES
        ('00000000-0000-4000-8000-000000000015', 'installation', 'rotation_due', 14, '{webhook,email,chat}'),
        ('00000000-0000-4000-8000-000000000016', 'installation', 'idle_warning', NULL, '{webhook,email,chat}');
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DELETE FROM alert_rule WHERE kind IN ('rotation_due', 'idle_warning');
      DROP TABLE idle_key, key_policy;
    `);
  }
}
