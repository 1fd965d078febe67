import { BOUNDS, type TimedWork, type Times } from '@app/database/reviews/queue-times.repository';
import { EnumField } from '../http/fields';
import type { QueueTimes } from './queue-times.service';

/** What the console can show, and how many minutes go together. */
const STEPS = { 60: 1, 360: 6, 1440: 30, 10080: 180, 43200: 720 } as const;

export class QueueTimesQuery {
  @EnumField(['reviews', 'webhooks'], { optional: true })
  work: TimedWork = 'reviews';

  /** How far to look back: an hour to 30 days. */
  @EnumField(Object.keys(STEPS), { optional: true })
  minutes: string = '60';
}

export function toTimesStretch({ minutes }: QueueTimesQuery): { minutes: number; stepMinutes: number } {
  const known = Number(minutes) as keyof typeof STEPS;
  return { minutes: known, stepMinutes: STEPS[known] };
}

export interface QueueTimesResponse extends ReturnType<typeof toQueueTimesResponse> {}

export function toQueueTimesResponse(times: QueueTimes) {
  const { forecast } = times;
  return {
    step_minutes: times.stepMinutes,
    waiting: toTimes(times.waits),
    work: toTimes(times.work),
    items: times.buckets.map(({ from, ended, waitingP95, workP95 }) => {
      const [waiting_p95_secs, work_p95_secs] = [rounded(waitingP95), rounded(workP95)];
      return { from: from.toISOString(), ended, waiting_p95_secs, work_p95_secs };
    }),
    /** Starts of workers; `new_release` when it runs another release than the one that started before it. */
    marks: times.marks.map(({ at, name, release, isNewRelease }) => {
      return { at: at.toISOString(), worker: name, release, new_release: isNewRelease };
    }),
    forecast: {
      /** Jobs that wait now. */
      waiting: times.waiting,
      // A share that is not zero is not shown as zero, however small.
      /** Share of the slots of all workers that was in use in the last ten minutes; null without a worker. */
      utilisation: forecast.utilisation && Number(forecast.utilisation.toPrecision(3)),
      /** Until all of them have started, if no more come; null when no worker runs or nothing has ended lately. */
      drains_in_secs: rounded(forecast.drainsInSecs),
      /** Workers that would start all of them within five minutes. */
      workers_for_five_minutes: forecast.workersForTarget,
    },
  };
}

export interface TimesResponse extends ReturnType<typeof toTimes> {}

function toTimes({ count, p50, p95, p99, most, histogram }: Times) {
  return {
    count,
    /** Null when nothing was measured. */
    p50_secs: rounded(p50),
    p95_secs: rounded(p95),
    p99_secs: rounded(p99),
    most_secs: rounded(most),
    /** The last one has no upper end. */
    histogram: histogram.map((cell, place) => ({ up_to_secs: BOUNDS[place] ?? null, count: cell })),
  };
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.max(0, Math.round(value * 1_000) / 1_000);
}
