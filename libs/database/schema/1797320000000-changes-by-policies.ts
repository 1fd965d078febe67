import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Undoing what a policy did to keys gives them back what they had before it, which the policy would not allow in an edit. */
export class ChangesByPolicies1797320000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE bulk_key_change ADD COLUMN by_policy boolean NOT NULL DEFAULT false',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE bulk_key_change DROP COLUMN by_policy');
  }
}
