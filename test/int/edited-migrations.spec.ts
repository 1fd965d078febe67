import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { RepairEditedMigrations1797500000000 } from '../../libs/database/schema/1797500000000-repair-edited-migrations';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await database.drop();
});

async function query<T>(sql: string): Promise<T[]> {
  return queryAs<T>(database.ownerUrl, sql);
}

const migrate = () => migrateDatabase(database.ownerUrl, database.url);

/** As the first text of `initial/keys.sql` had it. */
const FIRST_UNDO = `
ALTER TABLE key_undo RENAME COLUMN subject_id TO key_id;
INSERT INTO key_undo (key_id, setting, before, changed_by, changed_at, due_at)
  VALUES ('00000000-0000-4000-8000-00000000000a', 'rate_limit', '7', 'Ada', now(), now());`;

/** As the functions were that the first text of `BudgetOperations1797400320000` left. */
const FIRST_SETTLING = ['settle_batch', 'settle_credits']
  .map(
    (name) => `DROP FUNCTION ${name};
CREATE FUNCTION ${name}(key_ids uuid[], account_ids uuid[], costs bigint[], operations text[], request_ids text[], hold_secs int[],
  end_users text[] DEFAULT NULL) RETURNS TABLE (pos bigint, has_more_payers boolean) LANGUAGE sql AS 'SELECT 1::bigint, true';
UPDATE sql_definition SET sha256 = 'of the first text' WHERE name = '${name}';`,
  )
  .join('\n');

/** As the first text of `AccountMoves1797400310000` had it. */
const FIRST_FREEZING = `
CREATE TRIGGER credit_balance_frozen BEFORE UPDATE ON credit_balance FOR EACH ROW
  WHEN (OLD.frozen AND NEW.frozen) EXECUTE FUNCTION refuse_frozen_account('known');`;

/** What an edited migration would have left otherwise. */
const STATE = `
SELECT c.relname || '.' || a.attname AS item FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relname = 'key_undo' AND a.attnum > 0
UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname LIKE 'settle_%'
UNION ALL SELECT tgname FROM pg_trigger WHERE tgrelid = 'credit_balance'::regclass
UNION ALL SELECT name || ' ' || sha256 FROM sql_definition ORDER BY item`;

const REPAIR = RepairEditedMigrations1797500000000.name;
const asBeforeTheRepair = `DELETE FROM migration WHERE name = '${REPAIR}';`;

it.each([
  ['keys.sql', FIRST_UNDO, ['column key_undo.key_id was renamed to subject_id'], []],
  [
    'budget-operations',
    FIRST_SETTLING,
    ['functions settle_batch and settle_credits were dropped, to be created with their present columns'],
    ['settle_batch', 'settle_credits'],
  ],
  ['account-moves', FIRST_FREEZING, ['trigger credit_balance_frozen was dropped'], []],
])('a database by the first text of %s is repaired, and it is said', async (_, change, said, applied) => {
  const before = await query(STATE);
  await query(asBeforeTheRepair + change);
  expect(await query(STATE)).not.toEqual(before);
  expect(await migrate()).toEqual([`${REPAIR} (${said.join('; ')})`, ...applied]);
  expect(await query(STATE)).toEqual(before);
  expect(await migrate()).toEqual([]);
});

it('an undo timer that was stored before the repair is due after it', async () => {
  await query(asBeforeTheRepair + FIRST_UNDO);
  await migrate();
  const dataSource = await createDataSource(database.url, 'test').initialize();
  const due = await dataSource.query<object[]>(
    'SELECT subject_id, before FROM key_undo WHERE due_at <= now()',
  );
  await dataSource.destroy();
  expect(due).toEqual([{ subject_id: '00000000-0000-4000-8000-00000000000a', before: 7 }]);
});

it('any other database has nothing to repair', async () => {
  await query(asBeforeTheRepair);
  expect(await migrate()).toEqual([REPAIR]);
});
