import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Three migrations were edited within hours of being added. A database that was created in between has what their first texts
 * created: it gets what it would have by the present ones. `repaired` says what was changed, if anything.
 */
export class RepairEditedMigrations1797500000000 implements MigrationInterface {
  readonly repaired: string[] = [];

  async up(runner: QueryRunner): Promise<void> {
    for (const { found, change, said } of REPAIRS) {
      const [row] = await runner.manager.query<{ found: boolean }[]>(`SELECT ${found} AS found`);
      if (!row!.found) continue;
      await runner.query(change);
      this.repaired.push(said);
    }
  }

  async down(): Promise<void> {
    // A repair stays: the migrations before this one cannot revert what they did not create.
  }
}

const REPAIRS = [
  {
    found: `EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'public.key_undo'::regclass AND attname = 'key_id' AND NOT attisdropped)`,
    change: 'ALTER TABLE public.key_undo RENAME COLUMN key_id TO subject_id',
    said: 'column key_undo.key_id was renamed to subject_id',
  },
  {
    found: `EXISTS (SELECT FROM pg_proc WHERE proname IN ('settle_batch', 'settle_credits')
      AND pronamespace = 'public'::regnamespace AND 'has_more_payers' = ANY (proargnames))`,
    // They return other columns; the migrator creates them again.
    change: `DROP FUNCTION settle_batch, settle_credits;
      DELETE FROM sql_definition WHERE name IN ('settle_batch', 'settle_credits')`,
    said: 'functions settle_batch and settle_credits were dropped, to be created with their present columns',
  },
  {
    found: `EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'public.credit_balance'::regclass AND tgname = 'credit_balance_frozen')`,
    change: 'DROP TRIGGER credit_balance_frozen ON public.credit_balance',
    said: 'trigger credit_balance_frozen was dropped',
  },
];
