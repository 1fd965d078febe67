import type { MigrationInterface, QueryRunner } from 'typeorm';

const reasons = (list: string) => `
  ALTER TABLE webhook_endpoint DROP CONSTRAINT webhook_endpoint_disabled_reason_check;
  ALTER TABLE webhook_endpoint ADD CONSTRAINT webhook_endpoint_disabled_reason_check CHECK (disabled_reason IN (${list}))`;

/** An endpoint that responds 410 is disabled. */
export class EndpointsThatAreGone1797310030000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(reasons(`'staff', 'customer', 'failing', 'gone'`));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `UPDATE webhook_endpoint SET disabled_reason = 'failing' WHERE disabled_reason = 'gone'`,
    );
    await queryRunner.query(reasons(`'staff', 'customer', 'failing'`));
  }
}
