import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which models and voices a key may use; null for all. */
export class ModelsAndVoicesOfKeys1797502600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE api_key ADD COLUMN models text[], ADD COLUMN voices text[]');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE api_key DROP COLUMN models, DROP COLUMN voices');
  }
}
