import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSqlDefinitions } from './sql-definitions';

/** What carries the lines over and creates the first partitions; they are in `sql/`, as all functions. */
const NEEDED = [
  'ledger_request_form',
  'ledger_request',
  'ledger_kind_letter',
  'balance_numbers',
  'balance_ids',
  'ledger_month',
  'make_ledger_month',
  'make_ledger_months',
];

/**
 * The ledger in narrow lines, partitioned by the month in which a billing period begins. The table `credit_ledger` becomes
 * `ledger_line`; `credit_ledger` is a view of it from here on, in the columns that the table had.
 */
export class NarrowLedger1797200000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE credit_ledger RENAME TO earlier_ledger');
    await queryRunner.query(TABLES);
    await queryRunner.query('SET LOCAL check_function_bodies = off');
    const definitions = readSqlDefinitions().filter(({ name }) => NEEDED.includes(name));
    for (const { text } of definitions) await queryRunner.query(text);
    await queryRunner.query(CARRY_OVER);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(EARLIER);
    await queryRunner.query(
      `DROP VIEW IF EXISTS credit_ledger, ledger_month, ledger_elsewhere;
       ALTER TABLE earlier_ledger RENAME TO credit_ledger;
       ALTER INDEX earlier_ledger_pkey RENAME TO credit_ledger_pkey;
       DROP FUNCTION IF EXISTS find_ledger_line, write_ledger_line, make_ledger_months, make_ledger_month, charge_batch;
       DROP TABLE ledger_line, ledger_operation, ledger_archive, ledger_closing;
       ALTER TABLE credit_balance DROP number;
       -- All of them are applied again by the next migration.
       DELETE FROM sql_definition`,
    );
  }
}

const TABLES = `
  -- Stands for the account or key in the ledger: 4 bytes instead of 16.
  ALTER TABLE credit_balance ADD number serial;
  CREATE UNIQUE INDEX credit_balance_number_idx ON credit_balance (number);

  CREATE TABLE ledger_operation (
    code serial PRIMARY KEY,
    name text NOT NULL,
    CONSTRAINT ledger_operation_name_key UNIQUE (name)
  );

  -- The columns are in this order because it leaves no gaps between them. What they mean is in the view credit_ledger.
  CREATE TABLE ledger_line (
    id bigserial,
    period_start timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    amount bigint NOT NULL,
    -- What the account and the key could use in the period when the line was admitted; null for no limit, and on lines that
    -- no limit applies to.
    account_limit bigint,
    key_limit bigint,
    request uuid NOT NULL,
    account int NOT NULL,
    key int,
    operation int NOT NULL,
    -- No CHECK: each statement would read and compile it. Only ledger_kind_letter, and what charges, write it.
    kind "char" NOT NULL,
    form "char" NOT NULL,
    request_text text,
    actor text,
    -- The makers that the line counted for, nearest first, and what each could use then. A maker that is detached later keeps
    -- what was counted.
    makers int[],
    maker_limits bigint[]
  ) PARTITION BY RANGE (period_start);
  -- Finds a line by its request id. Not unique: a writer of a line holds the lock of the account's balance, and looks first.
  CREATE INDEX ledger_line_request_idx ON ledger_line (uuid_hash_extended(request, 0));
  -- Lines of an account, in blocks of 65,536 ids: an entry for many lines instead of one for each.
  CREATE INDEX ledger_line_account_idx ON ledger_line (account, ((id >> 16)::int));
  CREATE INDEX ledger_line_key_idx ON ledger_line (key);
  -- Lines of months that have no partition: no charge is refused because one is missing.
  CREATE TABLE ledger_line_other PARTITION OF ledger_line DEFAULT;

  -- Months whose lines are in files instead of the ledger.
  CREATE TABLE ledger_archive (
    month date PRIMARY KEY,
    lines bigint NOT NULL,
    -- Name, lines, bytes and SHA-256 of each file, in order.
    files jsonb NOT NULL,
    archived_at timestamptz NOT NULL DEFAULT now()
  );
  -- What the lines of an archived month add up to, for each account and key and billing period.
  CREATE TABLE ledger_closing (
    subject_id uuid NOT NULL,
    period_start timestamptz NOT NULL,
    account_id uuid NOT NULL,
    month date NOT NULL,
    used bigint NOT NULL,
    granted bigint NOT NULL,
    lines bigint NOT NULL,
    PRIMARY KEY (subject_id, period_start)
  );
  CREATE INDEX ledger_closing_account_idx ON ledger_closing (account_id);
  CREATE INDEX ledger_closing_month_idx ON ledger_closing (month);
`;

const CARRY_OVER = `
  INSERT INTO ledger_operation (name) SELECT DISTINCT operation FROM earlier_ledger ORDER BY 1;
  INSERT INTO ledger_line (id, period_start, created_at, amount, account_limit, key_limit, request, account, key, operation,
    kind, form, request_text, actor, makers, maker_limits)
  SELECT l.id, l.period_start, l.created_at, l.amount, l.account_limit, l.key_limit, ledger_request(l.request_id, ledger_request_form(l.request_id)), a.number,
    k.number, o.code, ledger_kind_letter(l.kind), ledger_request_form(l.request_id),
    CASE ledger_request_form(l.request_id) WHEN 't' THEN l.request_id END, l.actor, balance_numbers(l.maker_ids), l.maker_limits
  FROM earlier_ledger l JOIN credit_balance a ON a.subject_id = l.account_id
    LEFT JOIN credit_balance k ON k.subject_id = l.key_id JOIN ledger_operation o ON o.name = l.operation
  ORDER BY l.id;
  SELECT setval('ledger_line_id_seq', greatest(1, (SELECT max(id) FROM earlier_ledger)));
  SELECT make_ledger_months(3);
  DROP TABLE earlier_ledger;
  -- Its parameters and what it returns have changed.
  DROP FUNCTION IF EXISTS settle_credits(uuid[], uuid[], bigint[], text[], text[], int[]);
`;

const EARLIER = `
  CREATE TABLE earlier_ledger (
    id bigserial,
    account_id uuid NOT NULL,
    key_id uuid,
    period_start timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('charge', 'refund', 'hold', 'release', 'grant', 'adjustment')),
    amount bigint NOT NULL,
    operation text NOT NULL,
    request_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    actor text,
    key_limit bigint,
    account_limit bigint,
    maker_ids uuid[],
    maker_limits bigint[],
    PRIMARY KEY (account_id, id)
  );
  INSERT INTO earlier_ledger
    SELECT id, account_id, key_id, period_start, kind, amount, operation, request_id, created_at, actor, key_limit,
      account_limit, maker_ids, maker_limits
    FROM credit_ledger;
  SELECT setval('earlier_ledger_id_seq', greatest(1, (SELECT max(id) FROM earlier_ledger)));
  CREATE UNIQUE INDEX credit_ledger_request_idx ON earlier_ledger (request_id, account_id, kind);
  CREATE INDEX credit_ledger_account_idx ON earlier_ledger (account_id, period_start);
  CREATE INDEX credit_ledger_key_idx ON earlier_ledger (key_id, period_start);
`;
