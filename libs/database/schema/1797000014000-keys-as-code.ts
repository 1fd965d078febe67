import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys and webhooks that a file of keys manages: its name, and nothing else of it. */
export class KeysAsCode1797000014000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE api_key ADD COLUMN managed_by text;
      ALTER TABLE webhook_endpoint ADD COLUMN managed_by text;
      CREATE INDEX api_key_managed_idx ON api_key (managed_by, account_id) WHERE managed_by IS NOT NULL;
      CREATE INDEX webhook_endpoint_managed_idx ON webhook_endpoint (managed_by, account_id)
        WHERE managed_by IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX webhook_endpoint_managed_idx, api_key_managed_idx;
      ALTER TABLE webhook_endpoint DROP COLUMN managed_by;
      ALTER TABLE api_key DROP COLUMN managed_by;
    `);
  }
}
