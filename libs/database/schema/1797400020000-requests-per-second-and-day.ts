import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits of requests per second and per day, beside those per minute. */
export class RequestsPerSecondAndDay1797400020000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE api_key ADD COLUMN requests_per_second int, ADD COLUMN requests_per_day int',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE api_key DROP COLUMN requests_per_second, DROP COLUMN requests_per_day',
    );
  }
}
