import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which page has sent the secret of a key, and when last: where it can be read. */
export class PagesThatSendSecrets1797503600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE api_key_use ADD COLUMN browser_at timestamptz, ADD COLUMN browser_origin text',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key_use DROP COLUMN browser_at, DROP COLUMN browser_origin');
  }
}
