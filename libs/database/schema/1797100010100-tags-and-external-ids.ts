import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What staff file accounts and keys under, and what another system calls them. */
export class TagsAndExternalIds1797100010100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE account ADD tags text[] NOT NULL DEFAULT '{}', ADD external_id text;
      CREATE UNIQUE INDEX account_external_id_idx ON account (external_id) WHERE external_id IS NOT NULL;
      CREATE INDEX account_tags_idx ON account USING gin (tags) WHERE tags <> '{}';

      ALTER TABLE api_key ADD tags text[] NOT NULL DEFAULT '{}', ADD external_id text;
      CREATE UNIQUE INDEX api_key_external_id_idx ON api_key (external_id, account_id)
        WHERE external_id IS NOT NULL AND deleted_at IS NULL;
      CREATE INDEX api_key_tags_idx ON api_key USING gin (tags) WHERE tags <> '{}' AND deleted_at IS NULL;

      -- The tables of keys refer to each other by id alone.
      ALTER TABLE bulk_key_change_item DROP CONSTRAINT bulk_key_change_item_change_id_fkey;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE bulk_key_change_item ADD CONSTRAINT bulk_key_change_item_change_id_fkey
        FOREIGN KEY (change_id) REFERENCES bulk_key_change (id) ON DELETE CASCADE;
      ALTER TABLE api_key DROP tags, DROP external_id;
      ALTER TABLE account DROP tags, DROP external_id;
    `);
  }
}
