import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The settlement is planned once for each connection. PostgreSQL planned it anew for every batch, because a plan that knows
 * the batch looks a little cheaper, and planning cost more than half of what settling one charge does.
 */
export class SettlementPlans1795760000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER FUNCTION settle_credits SET plan_cache_mode = force_generic_plan;
      ALTER FUNCTION lock_balances SET plan_cache_mode = force_generic_plan;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER FUNCTION settle_credits RESET plan_cache_mode;
      ALTER FUNCTION lock_balances RESET plan_cache_mode;
    `);
  }
}
