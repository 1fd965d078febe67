import { doneText, timerRow } from '@app/domain/common/timers';
import { choose } from '../http/choose';
import { IntegerField } from '../http/fields';
import { ReasonBody } from '../http/reason';
import type { WatchedTimer } from '@app/administration/workers/timers.service';

const MAX_PAUSE_MINUTES = 1_440;

export class PauseTimerBody extends ReasonBody {
  /** When it ends automatically: a day at the most. */
  @IntegerField({ min: 1, max: MAX_PAUSE_MINUTES })
  minutes: number;
}

export interface TimerResponse extends ReturnType<typeof toTimerResponse> {}

export function toTimerResponse({ name, state, isPaused, last, facts, order }: WatchedTimer) {
  const { purpose, verb, alwaysRuns } = timerRow(name);
  const text = doneText(verb, facts?.did ?? {});
  return {
    name: name as string,
    purpose,
    /**
     * `late`: it has not begun for three times its period. `failing`: its last run in a worker that is there has failed.
     * `waiting`: no worker has run it yet.
     */
    state,
    /** From the end of a run to the next; null before a worker has reported it. */
    every_secs: last && last.everyMs / 1_000,
    /** Workers in which it runs. */
    workers: facts?.workers ?? 0,
    /** Its last run, in whichever worker. */
    last: last && {
      ...choose(last, 'worker', 'beganAt'),
      /** Null while it runs. */
      ended_at: last.endedAt?.toISOString() ?? null,
      took_ms: last.tookMs === null ? null : Math.round(last.tookMs),
      next_at: last.nextAt?.toISOString() ?? null,
    },
    /** What it did when it last did something. */
    did: facts?.didAt && text !== null ? { text, at: facts.didAt.toISOString() } : null,
    /** Why its last run failed; null when it did not. */
    error:
      facts?.error && facts.failedAt
        ? { message: facts.error, at: facts.failedAt.toISOString(), worker: facts.failedIn ?? '' }
        : null,
    pause:
      isPaused && order?.pausedUntil
        ? {
            until: order.pausedUntil.toISOString(),
            by: order.pausedBy ?? '',
            reason: order.pauseReason ?? '',
          }
        : null,
    /** Why it cannot be paused; null when it can. */
    always_runs: alwaysRuns ?? null,
    /** A run was requested and no worker has begun it yet. */
    run_requested: order?.runRequestedAt != null,
  };
}
