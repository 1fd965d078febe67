-- One row for each account and each key: the current billing period. A period that has ended stays in the row until
-- roll_over_balances moves it to the history.
CREATE TABLE credit_balance (
  subject_id uuid PRIMARY KEY,
  subject text NOT NULL CHECK (subject IN ('account', 'key')),
  account_id uuid NOT NULL,
  credit_limit bigint CHECK (credit_limit >= 0),
  used bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
  period_anchor timestamptz NOT NULL,
  period_start timestamptz NOT NULL,
  period_end timestamptz NOT NULL,
  -- Credits that staff have granted beyond the limit, for the current period.
  granted bigint NOT NULL DEFAULT 0 CHECK (granted >= 0),
  -- As api_key.maker_ids, here because settle_credits locks and reads this row anyway.
  maker_ids uuid[],
  -- Stands for the account or key in the ledger: 4 bytes instead of 16.
  number serial
) WITH (fillfactor = 70);
CREATE INDEX credit_balance_account_idx ON credit_balance (account_id);
CREATE UNIQUE INDEX credit_balance_number_idx ON credit_balance (number);

CREATE TABLE credit_balance_history (
  subject_id uuid NOT NULL,
  period_start timestamptz NOT NULL,
  account_id uuid NOT NULL,
  credit_limit bigint,
  used bigint NOT NULL CHECK (used >= 0),
  granted bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (subject_id, period_start)
);

-- What spends credits, by a number of 4 bytes.
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

CREATE TABLE credit_hold (
  account_id uuid NOT NULL,
  request_id text NOT NULL,
  key_id uuid NOT NULL,
  period_start timestamptz NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  operation text NOT NULL,
  deadline timestamptz NOT NULL,
  maker_ids uuid[],
  PRIMARY KEY (account_id, request_id)
);
CREATE INDEX credit_hold_deadline_idx ON credit_hold (deadline);
CREATE INDEX credit_hold_account_idx ON credit_hold (account_id, deadline);
