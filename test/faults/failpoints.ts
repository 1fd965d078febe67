import { eventually } from '../support/eventually';
import { pause } from './fault-options';
import type { Machine } from './machine';

/** Any number that no other code locks. */
const DELETES = 771_177;

/** Locks some tables against everyone while something is done. */
export async function whileLocked(
  { dataSource }: Machine,
  tables: string[],
  action: () => Promise<void>,
): Promise<void> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.query(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    await action();
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

/** Does something at the moment when a relay has delivered jobs and is about to delete their messages; they stay. */
export async function beforeRelayDeletes({ dataSource }: Machine, action: () => void): Promise<void> {
  await dataSource.query(
    `CREATE FUNCTION hold_deletes() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${DELETES}); RETURN NULL; END $$;
     CREATE TRIGGER hold_deletes BEFORE DELETE ON outbox EXECUTE FUNCTION hold_deletes()`,
  );
  const runner = dataSource.createQueryRunner();
  const held = `FROM pg_locks WHERE locktype = 'advisory' AND objid = ${DELETES} AND NOT granted`;
  try {
    await runner.query(`SELECT pg_advisory_lock(${DELETES})`);
    await eventually(async () => {
      const waiting: unknown[] = await dataSource.query(`SELECT ${held}`);
      if (waiting.length === 0) throw new Error('no relay has delivered anything');
    });
    action();
    await pause(100);
    // The server does not notice that its client is gone, and would delete all the same.
    await dataSource.query(`SELECT pg_terminate_backend(pid) ${held}`);
  } finally {
    await runner.query(`SELECT pg_advisory_unlock(${DELETES})`);
    await runner.release();
    await dataSource.query('DROP FUNCTION hold_deletes CASCADE');
  }
}

/** Waits until a worker is at a review. */
export async function untilReviewing({ dataSource }: Machine): Promise<void> {
  await eventually(
    async () => {
      const rows: unknown[] = await dataSource.query(
        `SELECT FROM voice WHERE review_state = 'running' LIMIT 1`,
      );
      if (rows.length === 0) throw new Error('no voice is being reviewed');
    },
    { everyMs: 5 },
  );
}

/** Freezes PostgreSQL with all its backends. */
export async function freezePostgres({ postgres }: Machine, ms: number): Promise<void> {
  postgres.freeze();
  try {
    await pause(ms);
  } finally {
    postgres.thaw();
  }
}

/** A deadlock, mostly at the cost of the api: another session locks what a creation locks, in the other order. */
export async function deadlock({ dataSource }: Machine): Promise<void> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.query('SELECT FROM account FOR UPDATE');
    await eventually(
      async () => {
        const waiting: unknown[] = await dataSource.query(
          `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%account%'`,
        );
        if (waiting.length === 0) throw new Error('no creation has come to the account');
      },
      { everyMs: 10 },
    );
    await runner.query('SELECT FROM preview FOR UPDATE').catch(isVictim);
  } finally {
    await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
  }
}

/** Either side of a deadlock may be chosen, and on a busy machine ours may have waited too long before. */
function isVictim(error: Error): void {
  if (!/deadlock|timeout/.test(error.message)) throw error;
}
