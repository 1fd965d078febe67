import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many requests a key makes per minute and how many generations an account runs, over all processes. */
export class Limits1795620000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLES);
    await queryRunner.query(FUNCTIONS);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP FUNCTION take_requests, take_generation_slot;
      DROP TABLE rate_window, generation_slot;
    `);
  }
}

const TABLES = `
-- Neither is worth a write to the log: after a crash of the server the minute begins anew.
CREATE UNLOGGED TABLE rate_window (
  key_id uuid PRIMARY KEY,
  ends_at timestamptz NOT NULL,
  used integer NOT NULL
) WITH (fillfactor = 50);

CREATE UNLOGGED TABLE generation_slot (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX generation_slot_account_idx ON generation_slot (account_id);
`;

const FUNCTIONS = `
-- Counts requests that have passed and gives requests that may pass, for each key within its quota. A window begins with
-- its first request. Rows are locked in one order, so that processes that ask for the same keys do not deadlock.
CREATE FUNCTION take_requests(key_ids uuid[], quotas int[], passed int[], wanted int[], window_ms int)
RETURNS TABLE (pos bigint, granted int, used int, ends_in_ms int) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  instant timestamptz;
BEGIN
  INSERT INTO rate_window (key_id, ends_at, used)
    SELECT k, '-infinity', 0 FROM unnest(key_ids) AS k ORDER BY k ON CONFLICT DO NOTHING;
  PERFORM 1 FROM rate_window w WHERE w.key_id = ANY (key_ids) ORDER BY w.key_id FOR UPDATE;
  instant := clock_timestamp();
  RETURN QUERY
  WITH counted AS (
    SELECT a.pos, a.key_id, a.quota, a.wanted,
      CASE WHEN w.ends_at > instant THEN w.used ELSE 0 END + a.passed AS passed,
      CASE WHEN w.ends_at > instant THEN w.ends_at ELSE instant + make_interval(secs => window_ms / 1000.0) END AS ends_at
    FROM unnest(key_ids, quotas, passed, wanted) WITH ORDINALITY AS a (key_id, quota, passed, wanted, pos)
    JOIN rate_window w ON w.key_id = a.key_id
  ), answer AS (
    SELECT c.*, greatest(0, least(c.wanted, c.quota - c.passed)) AS granted FROM counted c
  ), moved AS (
    UPDATE rate_window w SET used = a.passed + a.granted, ends_at = a.ends_at FROM answer a WHERE w.key_id = a.key_id
  )
  SELECT a.pos, a.granted, a.passed + a.granted, ceil(extract(epoch FROM a.ends_at - instant) * 1000)::int
  FROM answer a ORDER BY a.pos;
END $$;

-- Takes one of an account's slots for a generation, if one is free. Says how many are taken then.
CREATE FUNCTION take_generation_slot(p_account_id uuid, p_id text, p_limit int, p_lease_ms int)
RETURNS TABLE (taken boolean, running int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('generation_slot ' || p_account_id, 0));
  DELETE FROM generation_slot s WHERE s.account_id = p_account_id AND s.expires_at <= clock_timestamp();
  SELECT count(*) INTO running FROM generation_slot s WHERE s.account_id = p_account_id;
  taken := running < p_limit;
  IF taken THEN
    INSERT INTO generation_slot (id, account_id, expires_at)
      VALUES (p_id, p_account_id, clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0));
    running := running + 1;
  END IF;
  RETURN NEXT;
END $$;
`;
