import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys are found by the last four characters of their secrets, with any prefix. */
export class KeysByLastFour1797400030000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX api_key_secret_hint_idx');
    await queryRunner.query(
      'CREATE INDEX api_key_secret_last_four_idx ON api_key_secret (right(hint, 4), key_id)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX api_key_secret_last_four_idx');
    await queryRunner.query('CREATE INDEX api_key_secret_hint_idx ON api_key_secret (hint, key_id)');
  }
}
