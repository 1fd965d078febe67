import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What waits for no turn is found without reading the reviews that do. */
export class DueMessages1797270000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX outbox_due_idx ON outbox (available_at) WHERE account_id IS NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX outbox_due_idx');
  }
}
