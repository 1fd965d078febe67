import { eventually } from '../support/eventually';
import { OUR_TABLES } from '../support/our-tables';
import type { Stack } from '../support/stack';

/** What may change although a request is refused: a whole table, or columns of one. */
const MAY_CHANGE: Record<string, { columns?: string[]; because: string }> = {
  'public.api_process': { because: 'every process of the api says that it is alive' },
  'public.worker_process': { because: 'every worker says that it is alive' },
  'public.api_load': { because: 'every process of the api says how much it serves' },
  'public.timer_run': { because: 'every worker says what its timers have done' },
  'public.api_key_use': { because: 'counts the addresses that a key is used from, refused or not' },
  'public.key_finding_due': {
    because: 'a key that a page has sent is examined again, some seconds after its request',
  },
  'public.key_refusal': { because: 'counts refusals' },
  'public.key_last_refusal': { because: 'has when a key was refused last, by gate' },
  'public.key_request': { because: 'keeps which response a request got, and when' },
  'public.observed_traffic': { because: 'counts requests by address, refused or not' },
  'public.route_permission': { because: 'says which permission a route needs, beside its observed traffic' },
  'public.rate_window': { because: 'counts requests per minute, refused or not' },
  'public.idempotent_request': {
    because: 'the Idempotency-Key of a creation is claimed while it runs, and released when it is refused',
  },
  'public.generation_slot': { because: 'is taken while speech is generated, and given back' },
  'staff_auth.attempt_bucket': { because: 'counts attempts to sign in' },
  'public.api_key_secret': {
    columns: ['last_used_at', 'last_used_address'],
    because: 'a request that is refused for its content has used its key',
  },
  'public.service_credential': {
    columns: ['last_used_at', 'last_used_address'],
    because: 'a request that is refused for its content has used its credential',
  },
  'staff_auth.session': {
    columns: ['updated_at', 'ip_address', 'user_agent'],
    because: 'a request that is refused for its content has used its session',
  },
};

/** Notes the table of every row that is inserted, deleted, or updated to something else, when its transaction commits. */
const NOTE_WRITES = `
  CREATE SCHEMA fuzz;
  GRANT USAGE ON SCHEMA fuzz TO PUBLIC;
  CREATE UNLOGGED TABLE fuzz.written (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
    relation text NOT NULL,
    by_system boolean NOT NULL
  );
  GRANT SELECT ON fuzz.written TO PUBLIC;
  CREATE FUNCTION fuzz.note_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE
    ignored text[] := coalesce(TG_ARGV, '{}');
    row_after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) - ignored END;
  BEGIN
    IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - ignored = row_after THEN RETURN NULL; END IF;
    INSERT INTO fuzz.written (relation, by_system)
    VALUES (TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME, coalesce(row_after->>'actor_kind' = 'system', false));
    RETURN NULL;
  END $$`;

/** What has been written to the database, row by row. */
export class DatabaseState {
  private lastRead = 0n;

  private constructor(private readonly stack: Stack) {}

  /** Watches every table but those that may change on a refusal. Once for a database. */
  static async watch(stack: Stack): Promise<DatabaseState> {
    const tables = await stack.asOwner<{ name: string }>(OUR_TABLES);
    const watched = tables.filter(({ name }) => !MAY_CHANGE[name] || MAY_CHANGE[name].columns);
    const triggers = watched.map(
      ({ name }) => `CREATE TRIGGER note_write AFTER INSERT OR UPDATE OR DELETE ON ${name}
        FOR EACH ROW EXECUTE FUNCTION fuzz.note_write(${(MAY_CHANGE[name]?.columns ?? []).join(', ')})`,
    );
    await stack.asOwner([NOTE_WRITES, ...triggers].join(';'));
    return new DatabaseState(stack);
  }

  /** Waits until no speech is generated and stored any more: a long text may take a minute on a busy machine. */
  async speechEnds(): Promise<void> {
    const check = async () => {
      const [running] = await this.stack.asOwner(
        'SELECT id FROM generation_slot WHERE expires_at > now() LIMIT 1',
      );
      if (running) throw new Error('Speech is still generated.');
    };
    await eventually(check, { withinMs: 180_000 });
  }

  /** Waits until nothing was written for a quarter of a second: after requests whose responses stay unread. */
  async settles(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if ((await this.writtenSince()).length > 0) quiet = 0;
    }
  }

  /** The tables that were written to since the last look; not what a timer of the api did, which signs as the system. */
  async writtenSince(): Promise<string[]> {
    const rows = await this.stack.dataSource.query<{ relation: string; by_system: boolean; last: string }[]>(
      `SELECT relation, by_system, max(id) AS last
       FROM (SELECT id, relation, bool_or(by_system) OVER (PARTITION BY transaction) AS by_system
             FROM fuzz.written WHERE id > $1) written
       GROUP BY relation, by_system`,
      [String(this.lastRead)],
    );
    for (const { last } of rows) if (BigInt(last) > this.lastRead) this.lastRead = BigInt(last);
    return rows.filter(({ by_system: isOfTimer }) => !isOfTimer).map(({ relation }) => relation);
  }
}
