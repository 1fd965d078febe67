import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every request is granted before it passes: none is reported afterwards. The function is created again, as all are. */
export class GrantedRequests1797260000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION IF EXISTS take_requests(uuid[], int[], int[], int[], int)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP FUNCTION take_requests(uuid[], int[], int[], int);
      DELETE FROM sql_definition WHERE name = 'take_requests';
    `);
  }
}
