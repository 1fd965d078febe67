import { InitialSchema1797000000000 } from './1797000000000-initial-schema';

/** The oldest schema that migrations begin with. A backup says which one its database began with. */
export const FIRST_MIGRATION = InitialSchema1797000000000.name;

/** Where to read how data of an earlier release is carried over. */
export const CARRY_OVER = '"Data of an earlier release" in docs/operations.md';

/** A database whose tables other migrations made than those there are. Its message is for the person who starts Greenroom. */
export class EarlierSchemaError extends Error {
  constructor() {
    super(
      `An earlier release made this database, and nothing in it was changed: carry it over as described under ${CARRY_OVER}, or set another DATA_DIR or DATABASE_URL to begin with an empty database.`,
    );
    this.name = 'EarlierSchemaError';
  }
}

/**
 * Makes sure that the migrations of a database, if it has any, begin with `FIRST_MIGRATION`. Changes nothing.
 *
 * @throws EarlierSchemaError when they do not
 */
export async function refuseEarlierSchema(query: (sql: string) => Promise<unknown>): Promise<void> {
  const [table] = (await query(`SELECT to_regclass('public.migration') IS NOT NULL AS "exists"`)) as [
    { exists: boolean },
  ];
  if (!table.exists) return;
  const names = (await query('SELECT name FROM public.migration')) as { name: string }[];
  if (names.length > 0 && !names.some(({ name }) => name === FIRST_MIGRATION)) throw new EarlierSchemaError();
}
