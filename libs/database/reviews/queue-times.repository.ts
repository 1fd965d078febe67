import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** What is measured: reviews or webhooks. */
export type TimedWork = 'reviews' | 'webhooks';

/** How long something took, over a stretch of time. Seconds; null when it did not happen. */
export interface Times {
  count: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  most: number | null;
  /** How many took up to each of `BOUNDS`, and longer than the last. */
  histogram: number[];
}

export interface TimesBucket {
  from: Date;
  ended: number;
  waitingP95: number | null;
  workP95: number | null;
}

export interface RecentWork {
  waiting: number;
  meanWorkSecs: number | null;
  busySecs: number;
}

/** Upper ends of the histogram, seconds: an eighth of a second, and twice as long each time. */
export const BOUNDS = Array.from({ length: 14 }, (_, step) => 2 ** (step - 3));

/** Each start of a piece of work since $1: at, and how long it had waited. */
const WAITS: Record<TimedWork, string> = {
  reviews: `SELECT r.at, extract(epoch FROM r.at - q.at)::float8 AS secs FROM review_event r, LATERAL (
      SELECT at FROM review_event q WHERE q.voice_id = r.voice_id AND q.id < r.id AND q.to_state = 'queued' ORDER BY q.id DESC LIMIT 1) q
    WHERE r.at >= $1 AND r.to_state = 'running' AND r.from_state = 'queued'`,
  // The first attempt of each delivery; a later one waits because it is meant to.
  webhooks: `SELECT a.at, greatest(0, extract(epoch FROM a.at - d.created_at) - a.ms / 1000.0)::float8 AS secs
    FROM webhook_attempt a JOIN webhook_delivery d ON d.id = a.delivery_id
    WHERE a.at >= $1 AND NOT EXISTS (SELECT FROM webhook_attempt b WHERE b.delivery_id = a.delivery_id AND b.id < a.id)`,
};

/** Each end of a piece of work since $1: at, and how long it took. */
const WORK: Record<TimedWork, string> = {
  reviews: `SELECT e.at, extract(epoch FROM e.at - r.at)::float8 AS secs FROM review_event e, LATERAL (
      SELECT at FROM review_event r WHERE r.voice_id = e.voice_id AND r.id < e.id AND r.to_state = 'running' ORDER BY r.id DESC LIMIT 1) r
    WHERE e.at >= $1 AND e.from_state = 'running' AND e.to_state IN ('completed', 'rejected', 'retry_wait', 'stalled')`,
  webhooks: `SELECT a.at, a.ms / 1000.0::float8 AS secs FROM webhook_attempt a WHERE a.at >= $1`,
};

const WAITING: Record<TimedWork, string> = {
  reviews: `SELECT count(*)::int FROM voice WHERE review_state = 'queued'`,
  webhooks: `SELECT count(*)::int FROM webhook_delivery WHERE state = 'pending' AND due_at <= now()`,
};

/** How long reviews and webhooks wait and take, from what was recorded of each: the same on every backend of the queue. */
@Injectable()
export class QueueTimesRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async waits(work: TimedWork, since: Date): Promise<Times> {
    return this.summarise(WAITS[work], since);
  }

  async work(work: TimedWork, since: Date): Promise<Times> {
    return this.summarise(WORK[work], since);
  }

  /** Since a time in stretches of `stepMinutes`, oldest first; the last one has just begun. */
  async listBuckets(work: TimedWork, since: Date, stepMinutes: number): Promise<TimesBucket[]> {
    const p95 = (name: string) =>
      `percentile_cont(0.95) WITHIN GROUP (ORDER BY ${name}.secs) FILTER (WHERE ${name}.secs IS NOT NULL)`;
    return this.dataSource.query<TimesBucket[]>(
      `WITH waits AS (SELECT date_bin(make_interval(mins => $2), at, 'epoch') AS bin, count(*) AS n, ${p95('w')} AS p95
         FROM (${WAITS[work]}) w GROUP BY 1),
       works AS (SELECT date_bin(make_interval(mins => $2), at, 'epoch') AS bin, count(*) AS n, ${p95('w')} AS p95
         FROM (${WORK[work]}) w GROUP BY 1)
       SELECT b.bin AS from, coalesce(works.n, 0)::int AS ended, waits.p95 AS "waitingP95", works.p95 AS "workP95"
       FROM generate_series(date_bin(make_interval(mins => $2), $1, 'epoch') + make_interval(mins => $2), now(),
         make_interval(mins => $2)) AS b (bin) LEFT JOIN waits USING (bin) LEFT JOIN works USING (bin) ORDER BY 1`,
      [since, stepMinutes],
    );
  }

  /** What waits now, and how the work was since a time. */
  async recent(work: TimedWork, since: Date): Promise<RecentWork> {
    const [row] = await this.dataSource.query<RecentWork[]>(
      `SELECT (${WAITING[work]}) AS waiting, avg(secs) AS "meanWorkSecs", coalesce(sum(secs), 0)::float8 AS "busySecs"
       FROM (${WORK[work]}) w`,
      [since],
    );
    return row!;
  }

  private async summarise(source: string, since: Date): Promise<Times> {
    const [row] = await this.dataSource.query<Times[]>(
      `SELECT count(*)::int AS count, percentile_cont(0.5) WITHIN GROUP (ORDER BY secs) AS p50,
         percentile_cont(0.95) WITHIN GROUP (ORDER BY secs) AS p95, percentile_cont(0.99) WITHIN GROUP (ORDER BY secs) AS p99,
         max(secs) AS most,
         ARRAY[${[...BOUNDS, null].map((_, place) => `count(*) FILTER (WHERE width_bucket(secs, $2::float8[]) = ${place})::int`).join(', ')}] AS histogram
       FROM (${source}) w`,
      [since, BOUNDS],
    );
    return row!;
  }
}
