import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a key policy lets keys have at most, what each needs, and what new keys begin with. */
export class PoliciesOfNewKeys1797503010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE key_policy ADD COLUMN permissions text[], ADD COLUMN allow_list_required boolean,
         ADD COLUMN new_key_days integer, ADD COLUMN new_key_credit_limit bigint,
         ADD COLUMN new_key_requests_per_minute integer, ADD COLUMN new_key_concurrency_limit integer`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE key_policy DROP COLUMN permissions, DROP COLUMN allow_list_required, DROP COLUMN new_key_days,
         DROP COLUMN new_key_credit_limit, DROP COLUMN new_key_requests_per_minute, DROP COLUMN new_key_concurrency_limit`,
    );
  }
}
