import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which requests a reverse proxy may ask about with the credential of a service. */
export class ForwardRules1797502300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE service_credential ADD COLUMN forward_rules jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE service_credential DROP COLUMN forward_rules');
  }
}
