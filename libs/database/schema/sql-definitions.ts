import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityManager } from 'typeorm';

/** A function or view: `sql/NAME.sql` creates it, and replaces it where it exists. */
export interface SqlDefinition {
  name: string;
  kind: 'function' | 'view';
  text: string;
  sha256: string;
}

/** Beside this file, in the sources and in the build. */
const FOLDER = join(__dirname, 'sql');

let definitions: readonly SqlDefinition[] | null = null;

/** Every definition, in the order in which they can be applied: a view may call a function, and read a view whose name comes before its own. Read once: a check of the operation asks every minute. */
export function readSqlDefinitions(): readonly SqlDefinition[] {
  return (definitions ??= readFolder());
}

function readFolder(): SqlDefinition[] {
  const read = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file): SqlDefinition => {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      const kind = /^CREATE OR REPLACE VIEW /m.test(text) ? 'view' : 'function';
      return { name: file.replace(/\.sql$/, ''), kind, text, sha256: digest(text) };
    });
  return read.toSorted((a, b) => Number(a.kind === 'view') - Number(b.kind === 'view'));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Applies every definition whose text is not the one that was applied last. Replacing a function keeps its owner and its
 * grants. A migration drops what has no file any more, and a function whose parameters change.
 *
 * @param em in the transaction of the migrations, as the role that owns the schema
 * @returns names of the definitions that were applied
 */
export async function applySqlDefinitions(em: EntityManager): Promise<string[]> {
  const changed = await findChangedDefinitions(em);
  // A function may name another one that is created after it.
  if (changed.length > 0) await em.query('SET LOCAL check_function_bodies = off');
  for (const { name, text, sha256 } of changed) {
    await em.query(text);
    await em.query(
      `INSERT INTO sql_definition (name, sha256) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, applied_at = now()`,
      [name, sha256],
    );
  }
  return changed.map(({ name }) => name);
}

/** Definitions whose text is not the one that was applied last, in the order in which they can be applied. */
export async function findChangedDefinitions(
  database: Pick<EntityManager, 'query'>,
): Promise<SqlDefinition[]> {
  const rows = await database.query<{ name: string; sha256: string }[]>(
    'SELECT name, sha256 FROM sql_definition',
  );
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
  return readSqlDefinitions().filter(({ name, sha256 }) => applied.get(name) !== sha256);
}
