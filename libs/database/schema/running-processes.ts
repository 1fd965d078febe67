import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { SILENT_API_SECS, SILENT_SECS } from '../../domain/common/timers';
import { appliedMigrations } from './earlier-schema';
import { CONTRACTIONS, type Contraction } from './contractions';

const LOOK_AGAIN_MS = 1_000;

type Database = Pick<EntityManager, 'query'>;

/** Processes of an earlier release run, and would lose what they use. */
export class RunningProcessesError extends Error {
  constructor(processes: string[], contractions: Contraction[]) {
    super(
      `Processes of an earlier release run on this database (${processes.join(', ')}), and the migrations take from them what they use: ${describe(contractions)}. Nothing was changed. Stop them and run this again. With "greenroom migrate --beside-running" it is done all the same: their requests and timers that use it fail until they have ended.`,
    );
    this.name = 'RunningProcessesError';
  }
}

/**
 * Makes sure that migrations which processes of an earlier release cannot run beside do not begin while one is heard. Processes of
 * this release report nothing before the schema is theirs, so any that is heard is an earlier one. What ended without a word is
 * waited for, 15 s at most.
 *
 * @param database in the transaction of the migrations, before the first of them
 * @param missing names of the migrations that are about to run
 * @param options.besideRunning runs them all the same
 * @param options.onNote gets what is said before they begin
 * @throws RunningProcessesError that names the processes and what they would lose
 */
export async function requireNoEarlierProcess(
  database: Database,
  missing: string[],
  { besideRunning, onNote }: { besideRunning: boolean; onNote: (note: string) => void },
): Promise<void> {
  const contractions = await findContractions(database, missing);
  if (contractions.length === 0) return;
  onNote(`No process of an earlier release can run beside these migrations: ${describe(contractions)}.`);
  if (besideRunning) return;
  const processes = await findRunning(database);
  if (processes.length > 0) throw new RunningProcessesError(processes, contractions);
}

/** Those among the missing migrations that take something from a database; none when it is empty. */
async function findContractions(database: Database, missing: string[]): Promise<Contraction[]> {
  const pending = CONTRACTIONS.filter(({ migration }) => missing.includes(migration));
  if (pending.length === 0 || (await appliedMigrations(database)).length === 0) return [];
  const found: Contraction[] = [];
  for (const contraction of pending) {
    const [row] = await database.query<{ applies: boolean }[]>(
      `SELECT ${contraction.applies ?? 'true'} AS applies`,
    );
    if (row!.applies) found.push(contraction);
  }
  return found;
}

function describe(contractions: Contraction[]): string {
  return contractions.map(({ migration, takes }) => `${migration} takes ${takes}`).join('; ');
}

interface Heard {
  id: string;
  name: string;
  seenAt: string;
}

/** Names of the processes that report again after they were first looked for. */
async function findRunning(database: Database): Promise<string[]> {
  const first = new Map((await listHeard(database)).map(({ id, seenAt }) => [id, seenAt]));
  for (;;) {
    const heard = await listHeard(database);
    const running = heard.filter(({ id, seenAt }) => first.get(id) !== seenAt);
    if (heard.length === 0 || running.length > 0) return running.map(({ name }) => name);
    await sleep(LOOK_AGAIN_MS);
  }
}

async function listHeard(database: Database): Promise<Heard[]> {
  const isHeard = `seen_at > clock_timestamp() - make_interval(secs => ${Math.max(SILENT_API_SECS, SILENT_SECS)})`;
  return database.query<Heard[]>(
    `SELECT id, name, seen_at::text AS "seenAt" FROM public.api_load WHERE ${isHeard}
     UNION ALL SELECT id, name, seen_at::text FROM public.worker_process WHERE ${isHeard} ORDER BY name`,
  );
}
