import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Workers that finish what they have and take nothing new, because staff say so. */
export class QuietWorkers1797100050100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE worker_process ADD COLUMN quiet_since timestamptz, ADD COLUMN quiet_by text, ADD COLUMN quiet_reason text;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE worker_process DROP COLUMN quiet_since, DROP COLUMN quiet_by, DROP COLUMN quiet_reason',
    );
  }
}
