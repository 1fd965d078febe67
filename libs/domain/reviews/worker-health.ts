import { SILENT_SECS } from '../common/timers';

/** `silent`: no heartbeat for too long. `replaced`: the same, but another one was started since. `stuck`: jobs wait and it starts none. */
export type WorkerHealth = 'healthy' | 'stuck' | 'silent' | 'replaced';

interface Observed {
  id: string;
  startedAt: Date;
  seenAt: Date;
  silentSecs: number;
  isStuck: boolean;
}

/**
 * The health of each worker by its id. A worker replaces at most one that fell silent before it started; it may have been
 * replaced since, as one that is started again and again.
 */
export function healthOf(workers: readonly Observed[]): Map<string, WorkerHealth> {
  const isSilent = ({ silentSecs }: Observed) => silentSecs > SILENT_SECS;
  const successors = workers.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
  const silent = workers.filter(isSilent).toSorted((a, b) => b.seenAt.getTime() - a.seenAt.getTime());
  const health = new Map<string, WorkerHealth>(
    workers.map(({ id, isStuck }) => [id, isStuck ? 'stuck' : 'healthy']),
  );
  for (const { id, seenAt } of silent) {
    const next = successors.findIndex((other) => other.id !== id && other.startedAt >= seenAt);
    if (next >= 0) successors.splice(next, 1);
    health.set(id, next >= 0 ? 'replaced' : 'silent');
  }
  return health;
}
