import { createHash } from 'node:crypto';
import { NOT_ATTEMPTS } from '../../libs/domain/reviews/review-state';
import { eventually } from '../support/eventually';
import { whileLocked } from './failpoints';
import type { Greenroom } from './greenroom';
import type { SupervisedProcess } from './supervised-process';
import type { Machine } from './machine';
import type { Struck } from './storm';

const PATIENCE_MS = 60_000;

export interface Nodes {
  apis: SupervisedProcess[];
  workers: SupervisedProcess[];
}

/** What the reviews of a voice cost. */
export interface ReviewCost {
  previewId: string | null;
  state: string;
  attempts: number;
  begun: number;
  handedBack: number;
  /** Why attempts failed after which another one followed. */
  failures: string[];
  /** Attempts whose end nobody wrote down: their worker died. */
  died: number;
  /** The states it went through, with their causes. */
  history: string[];
}

/** Ends a worker at a review and an api, every second time while reviews take longer than a stop waits for them. */
export async function endOften(
  machine: Machine,
  { apis, workers }: Nodes,
  signal: NodeJS.Signals,
  times: number,
): Promise<Struck[]> {
  const struck: Struck[] = [];
  for (let time = 0; time < times; time += 1) {
    let areBack: Promise<unknown> = Promise.resolve();
    const end = async () => {
      const worker = await reviewerOf(workers);
      const ended = worker.ends.length;
      areBack = Promise.all([worker.restart(signal), apis[time % apis.length]!.restart(signal)]);
      await eventually(() => expect(worker.ends.length).toBeGreaterThan(ended), { withinMs: PATIENCE_MS });
    };
    // Nothing is locked while workers still start.
    await reviewerOf(workers);
    if (time % 2 === 0) await end();
    else await whileLocked(machine, ['audio_object'], end);
    await areBack;
    struck.push({ name: signal, atMs: Date.now() });
  }
  return struck;
}

/** A worker that is at a review. */
async function reviewerOf(workers: SupervisedProcess[]): Promise<SupervisedProcess> {
  return eventually(
    () => {
      const found = workers.find(({ log }) => /Review (\w+)(?!.*Review )/s.exec(log)?.[1] === 'claimed');
      if (!found) throw new Error('no worker is at a review');
      return found;
    },
    { withinMs: PATIENCE_MS, everyMs: 5 },
  );
}

/** Leaves less of a stored recording than there was: nothing can read it any more. */
export async function spoil({ dataSource }: Machine, bytes: Buffer): Promise<void> {
  const digest = createHash('sha256').update(bytes).digest('hex');
  await dataSource.query('UPDATE audio_object SET bytes = substring(bytes FOR 10) WHERE digest = $1', [
    digest,
  ]);
}

/** From now on counts how often the measurement of each sample is stored. */
export async function noteMeasurements({ dataSource }: Machine): Promise<void> {
  await dataSource.query(
    `CREATE TABLE measurement (sample_id text);
     CREATE FUNCTION note_measurement() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
       $$ BEGIN INSERT INTO public.measurement VALUES (NEW.sample_id); RETURN NULL; END $$;
     CREATE TRIGGER note_measurement AFTER INSERT OR UPDATE ON measured_sample
       FOR EACH ROW EXECUTE FUNCTION note_measurement()`,
  );
}

/** How often the measurement of each sample has been stored. */
export async function listMeasurements({ dataSource }: Machine): Promise<number[]> {
  const rows = await dataSource.query<{ times: number }[]>(
    'SELECT count(*)::int AS times FROM measurement GROUP BY sample_id',
  );
  return rows.map(({ times }) => times);
}

/** What the reviews of each voice cost, when all of them have ended. */
export async function listCosts({ dataSource }: Machine, { accountId }: Greenroom): Promise<ReviewCost[]> {
  return dataSource.query<ReviewCost[]>(
    `SELECT *, begun - "handedBack" - cardinality(failures) - verdicts AS died FROM (
       SELECT v.preview_id AS "previewId", v.review_state AS state, v.review_attempts AS attempts,
         count(*) FILTER (WHERE to_state = 'running')::int AS begun,
         count(*) FILTER (WHERE to_state = 'retry_wait' AND cause = ANY ($2))::int AS "handedBack",
         coalesce(array_agg(cause) FILTER (WHERE to_state = 'retry_wait' AND cause <> ALL ($2)), '{}') AS failures,
         count(*) FILTER (WHERE to_state IN ('completed', 'rejected', 'stalled'))::int AS verdicts,
         array_agg(concat_ws(' ', to_char(e.at, 'HH24:MI:SS'), to_state, cause, actor) ORDER BY e.id) AS history
       FROM voice v JOIN review_event e ON e.voice_id = v.id WHERE v.account_id = $1 GROUP BY v.id) counted`,
    [accountId, NOT_ATTEMPTS],
  );
}
