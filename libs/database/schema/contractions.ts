import { Budgets1797400050000 } from './1797400050000-budgets';
import { EndUsers1797400065000 } from './1797400065000-end-users';
import { EndUserBudgets1797400066000 } from './1797400066000-end-user-budgets';
import { BudgetOperations1797400320000 } from './1797400320000-budget-operations';
import { RepairEditedMigrations1797500000000 } from './1797500000000-repair-edited-migrations';

/** A migration that takes away, renames or narrows what the release before uses. */
export interface Contraction {
  migration: string;
  /** What processes of earlier releases lose, as a person reads it. */
  takes: string;
  /** SQL: whether a database in which the migration has not run has what it takes; in any, when left out. */
  applies?: string;
}

const FUNCTIONS = 'functions that settle charges, which get other parameters';

/**
 * All of them. Any other migration only adds, so that the release before serves while it runs and after it; what is not used any
 * more goes a release later, by a migration that stands here: docs/operations.md, "Old and new side by side".
 */
export const CONTRACTIONS: readonly Contraction[] = [
  { migration: Budgets1797400050000.name, takes: FUNCTIONS },
  { migration: EndUsers1797400065000.name, takes: FUNCTIONS },
  { migration: EndUserBudgets1797400066000.name, takes: FUNCTIONS },
  { migration: BudgetOperations1797400320000.name, takes: FUNCTIONS },
  {
    migration: RepairEditedMigrations1797500000000.name,
    takes:
      'the column key_undo.key_id, or functions that settle charges, of databases whose first migrations were edited',
    applies: `EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('public.key_undo') AND attname = 'key_id' AND NOT attisdropped)
      OR EXISTS (SELECT FROM pg_proc WHERE proname IN ('settle_batch', 'settle_credits')
        AND pronamespace = 'public'::regnamespace AND 'has_more_payers' = ANY (proargnames))`,
  },
];
