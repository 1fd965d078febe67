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

export interface TimesResponse {
  count: number;
  /** Null when nothing was measured. */
  p50_secs: number | null;
  p95_secs: number | null;
  p99_secs: number | null;
  most_secs: number | null;
  /** The last one has no upper end. */
  histogram: { up_to_secs: number | null; count: number }[];
}

export interface QueueTimesResponse {
  step_minutes: number;
  waiting: TimesResponse;
  work: TimesResponse;
  items: { from: string; ended: number; waiting_p95_secs: number | null; work_p95_secs: number | null }[];
  /** Starts of workers; `new_release` when it runs another release than the one that started before it. */
  marks: { at: string; worker: string; release: string; new_release: boolean }[];
  forecast: {
    /** Jobs that wait now. */
    waiting: number;
    /** Share of the slots of all workers that was in use in the last ten minutes; null without a worker. */
    utilisation: number | null;
    /** Until all of them have started, if no more come; null when no worker runs or nothing has ended lately. */
    drains_in_secs: number | null;
    /** Workers that would start all of them within five minutes. */
    workers_for_five_minutes: number | null;
  };
}

export function toQueueTimesResponse(times: QueueTimes): QueueTimesResponse {
  const { forecast } = times;
  return {
    step_minutes: times.stepMinutes,
    waiting: toTimes(times.waits),
    work: toTimes(times.work),
    items: times.buckets.map(({ from, ended, waitingP95, workP95 }) => {
      const [waiting_p95_secs, work_p95_secs] = [rounded(waitingP95), rounded(workP95)];
      return { from: from.toISOString(), ended, waiting_p95_secs, work_p95_secs };
    }),
    marks: times.marks.map(({ at, name, release, isNewRelease }) => {
      return { at: at.toISOString(), worker: name, release, new_release: isNewRelease };
    }),
    forecast: {
      waiting: times.waiting,
      // A share that is not zero is not shown as zero, however small.
      utilisation: forecast.utilisation && Number(forecast.utilisation.toPrecision(3)),
      drains_in_secs: rounded(forecast.drainsInSecs),
      workers_for_five_minutes: forecast.workersForTarget,
    },
  };
}

function toTimes({ count, p50, p95, p99, most, histogram }: Times): TimesResponse {
  return {
    count,
    p50_secs: rounded(p50),
    p95_secs: rounded(p95),
    p99_secs: rounded(p99),
    most_secs: rounded(most),
    histogram: histogram.map((cell, place) => ({ up_to_secs: BOUNDS[place] ?? null, count: cell })),
  };
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.max(0, Math.round(value * 1_000) / 1_000);
}
