import type { EntityManager } from 'typeorm';
import { MOVED_TABLES, type MovedTable } from './account-tables';

const BATCH_ROWS = 2_000;
/** Recordings are megabytes. */
const BATCH_RECORDINGS = 8;

/** Rows of each table. */
export type RowCounts = Record<string, number>;

/** The text as the other cell stores it, of the id of its row. */
export type Reseal = (table: MovedTable, id: string, text: string) => string;

/** What an account has used, by its ledger and by its balances: the same in both cells. */
export interface AccountFigures {
  lines: number;
  ledgerUsed: number;
  balanceUsed: number;
}

/** Allows a transaction to write what belongs to a frozen account, for as long as it takes. */
export async function beginMoving(em: EntityManager): Promise<void> {
  await em.query(
    `SELECT set_config('greenroom.moves_accounts', 'on', true), set_config('statement_timeout', '0', true),
       set_config('idle_in_transaction_session_timeout', '0', true)`,
  );
}

/** How much of the ledger was copied before the account was frozen. */
export interface CopiedAhead {
  lines: number;
  /** The id of the last line in the first database. */
  lastId: string;
}

/**
 * Copies the lines of the ledger that there are now, which is most of an account, while it is used. Its balances go ahead for
 * their numbers; `copyAccount` updates them, and never deletes them: a charge that waits for the lock of a row that is deleted
 * would continue without it. A transaction that writes a line holds the lock of the account's balance, so that no line with
 * an earlier id is committed later.
 */
export async function copyLedgerAhead(
  accountId: string,
  from: EntityManager,
  to: EntityManager,
): Promise<CopiedAhead> {
  await copyTable(BALANCES, accountId, from, to, (_, __, text) => text);
  // Nothing is charged here yet.
  await to.query(`UPDATE ${BALANCES.name} SET frozen = true WHERE account_id = $1`, [accountId]);
  const [row] = await from.query<{ id: string | null }[]>(
    'SELECT max(id) AS id FROM ledger_line WHERE account = (SELECT number FROM credit_balance WHERE subject_id = $1)',
    [accountId],
  );
  return {
    lines: await copyLedger(accountId, from, to, '0'),
    lastId: row?.id ?? '0',
  };
}

/**
 * Copies every row of an account from one database to another.
 *
 * @param from in a transaction that sees one moment
 * @param to in a transaction with `beginMoving`
 * @param ahead what `copyLedgerAhead` has copied
 * @returns how many rows each table has of it in the first
 */
export async function copyAccount(
  accountId: string,
  from: EntityManager,
  to: EntityManager,
  { reseal, ahead }: { reseal: Reseal; ahead: CopiedAhead },
): Promise<RowCounts> {
  const counts: RowCounts = {};
  for (const table of MOVED_TABLES) counts[table.name] = await copyTable(table, accountId, from, to, reseal);
  counts.ledger_line = ahead.lines + (await copyLedger(accountId, from, to, ahead.lastId));
  return counts;
}

const BALANCES = MOVED_TABLES.find(({ name }) => name === 'credit_balance')!;

/** Removes every row of an account, but what others may have as well. Returns how many each table had. */
export async function removeAccount(accountId: string, em: EntityManager): Promise<RowCounts> {
  const counts: RowCounts = {
    ledger_line: await removeRows(
      'ledger_line',
      'account = (SELECT number FROM credit_balance WHERE subject_id = $1)',
      accountId,
      em,
    ),
  };
  for (const { name, rows, shared } of MOVED_TABLES.toReversed())
    if (!shared) counts[name] = await removeRows(name, rows, accountId, em);
  return counts;
}

/** Rows of an account that a table has had more or fewer of than were copied: none may be lost. */
export function differingTables(copied: RowCounts, found: RowCounts): string[] {
  return MOVED_TABLES.filter(({ shared, late }) => !shared && !late)
    .map(({ name }) => name)
    .concat('ledger_line')
    .filter((name) => copied[name] !== found[name]);
}

/** How many rows each table has of an account. */
export async function countRows(accountId: string, em: EntityManager): Promise<RowCounts> {
  const counts: RowCounts = {};
  for (const { name, rows } of MOVED_TABLES) {
    const [row] = await em.query<{ n: number }[]>(`SELECT count(*)::int AS n FROM ${name} WHERE ${rows}`, [
      accountId,
    ]);
    counts[name] = row!.n;
  }
  counts.ledger_line = (await readFigures(accountId, em)).lines;
  return counts;
}

/** What an account has used. */
export async function readFigures(accountId: string, em: EntityManager): Promise<AccountFigures> {
  const [row] = await em.query<AccountFigures[]>(
    `SELECT (SELECT count(*)::int FROM ledger_line l WHERE l.account = b.number) AS lines,
       (SELECT coalesce(sum(l.amount), 0)::float8 FROM ledger_line l WHERE l.account = b.number AND l.kind <> 'g')
         AS "ledgerUsed",
       (SELECT coalesce(sum(u.used), 0)::float8 FROM (
          SELECT used FROM credit_balance WHERE subject_id = $1
          UNION ALL SELECT used FROM credit_balance_history WHERE subject_id = $1) u) AS "balanceUsed"
     FROM credit_balance b WHERE b.subject_id = $1`,
    [accountId],
  );
  return row ?? { lines: 0, ledgerUsed: 0, balanceUsed: 0 };
}

async function copyTable(
  table: MovedTable,
  accountId: string,
  from: EntityManager,
  to: EntityManager,
  reseal: Reseal,
): Promise<number> {
  const { name, rows, skip = [], clear = [], sealed } = table;
  const columns = (await columnsOf(name, from)).filter((column) => !skip.includes(column));
  const listed = columns.join(', ');
  const values = columns.map((column) => (clear.includes(column) ? 'NULL' : `r.${column}`)).join(', ');
  const insert = `INSERT INTO ${name} (${listed}) SELECT ${values} FROM json_populate_recordset(NULL::${name}, $1) r
    ${onConflict(table, columns)}`;
  const select = `SELECT row_to_json(t)::text AS row FROM ${name} t WHERE ${rows}`;
  const size = name === 'audio_object' ? BATCH_RECORDINGS : BATCH_ROWS;
  return inBatches(select, accountId, from, size, async (texts) => {
    const ready = sealed ? texts.map((text) => resealed(table, sealed, text, reseal)) : texts;
    await to.query(insert, [`[${ready.join(',')}]`]);
  });
}

function onConflict({ shared, late, ahead }: MovedTable, columns: string[]): string {
  if (shared || late) return 'ON CONFLICT DO NOTHING';
  if (!ahead) return '';
  const set = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  return `ON CONFLICT (${ahead}) DO UPDATE SET ${set}`;
}

function resealed(table: MovedTable, column: string, text: string, reseal: Reseal): string {
  const row = JSON.parse(text) as Record<string, string | null> & {
    id: string;
  };
  const sealed = row[column];
  return sealed ? JSON.stringify({ ...row, [column]: reseal(table, row.id, sealed) }) : text;
}

/** The lines in their order, with the numbers and the operations of the other cell. */
async function copyLedger(
  accountId: string,
  from: EntityManager,
  to: EntityManager,
  afterId: string,
): Promise<number> {
  const select = `
    SELECT row_to_json(r)::text AS row FROM (
      SELECT l.id, l.period_start, l.created_at, l.amount, l.account_limit, l.key_limit, l.request, l.kind, l.form,
        l.request_text, l.actor, l.maker_limits, l.end_user, k.subject_id AS key_id, o.name AS operation,
        CASE WHEN l.makers IS NOT NULL THEN balance_ids(l.makers) END AS maker_ids
      FROM ledger_line l LEFT JOIN credit_balance k ON k.number = l.key JOIN ledger_operation o ON o.code = l.operation
      WHERE l.account = (SELECT number FROM credit_balance WHERE subject_id = $1) AND l.id > ${afterId} ORDER BY l.id
    ) r`;
  const insert = `
    INSERT INTO ledger_line (account, key, makers, period_start, created_at, amount, account_limit, key_limit, request, kind,
      form, operation, request_text, actor, maker_limits, end_user)
    SELECT a.number, k.number, CASE WHEN r.maker_ids IS NOT NULL THEN balance_numbers(r.maker_ids) END, r.period_start,
      r.created_at, r.amount, r.account_limit, r.key_limit, r.request, r.kind, r.form, ledger_operation_code(r.operation), r.request_text, r.actor,
      r.maker_limits, r.end_user
    FROM json_to_recordset($2) AS r (id bigint, period_start timestamptz, created_at timestamptz, amount bigint,
      account_limit bigint, key_limit bigint, request uuid, kind "char", form "char", request_text text, actor text,
      maker_limits bigint[], end_user text, key_id uuid, operation text, maker_ids uuid[])
    JOIN credit_balance a ON a.subject_id = $1
    LEFT JOIN credit_balance k ON k.subject_id = r.key_id
    ORDER BY r.id`;
  return inBatches(select, accountId, from, BATCH_ROWS, async (texts) => {
    await to.query(insert, [accountId, `[${texts.join(',')}]`]);
  });
}

async function inBatches(
  select: string,
  accountId: string,
  from: EntityManager,
  size: number,
  store: (rows: string[]) => Promise<void>,
): Promise<number> {
  await from.query(`DECLARE moved NO SCROLL CURSOR FOR ${select.replaceAll('$1', `'${accountId}'::uuid`)}`);
  let total = 0;
  for (;;) {
    const rows = await from.query<{ row: string }[]>(`FETCH ${size} FROM moved`);
    if (rows.length === 0) break;
    await store(rows.map(({ row }) => row));
    total += rows.length;
  }
  await from.query('CLOSE moved');
  return total;
}

async function columnsOf(table: string, em: EntityManager): Promise<string[]> {
  const rows = await em.query<{ name: string }[]>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

async function removeRows(
  table: string,
  rows: string,
  accountId: string,
  em: EntityManager,
): Promise<number> {
  const [, removed] = await em.query<[unknown, number]>(`DELETE FROM ${table} WHERE ${rows}`, [accountId]);
  return removed;
}
