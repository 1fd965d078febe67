import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An allow-list for all keys of an account, beside those of keys. Its entries and its undo are rows of the same tables, with
 * the id of the account in the place of a key's.
 */
export class AccountAllowLists1797100021000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE account ADD COLUMN allowed_ips text[];
      CREATE TRIGGER account_forget_left_entries AFTER UPDATE OF allowed_ips ON account
        FOR EACH ROW WHEN (OLD.allowed_ips IS DISTINCT FROM NEW.allowed_ips) EXECUTE FUNCTION forget_left_entries();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DELETE FROM allow_list_entry e USING account a WHERE a.id = e.key_id;
      DELETE FROM key_undo u USING account a WHERE a.id = u.key_id;
      DROP TRIGGER account_forget_left_entries ON account;
      ALTER TABLE account DROP COLUMN allowed_ips;
    `);
  }
}
