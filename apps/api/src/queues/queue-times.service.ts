import { WorkerProcessRepository } from '@app/database/workers/worker-process.repository';
import {
  QueueTimesRepository,
  type TimedWork,
  type Times,
  type TimesBucket,
} from '@app/database/reviews/queue-times.repository';
import { SILENT_SECS } from '@app/domain/common/timers';
import { forecastQueue, type QueueForecast } from '@app/domain/reviews/queue-forecast';
import { WEBHOOK_SLOTS } from '@app/queue/jobs';
import { Injectable } from '@nestjs/common';

/** The forecast goes by the work of the last ten minutes. */
const OBSERVED_SECS = 600;
const DEFAULT_SLOTS = 2;

export interface QueueTimes {
  stepMinutes: number;
  waits: Times;
  work: Times;
  buckets: TimesBucket[];
  marks: { at: Date; name: string; release: string; isNewRelease: boolean }[];
  waiting: number;
  forecast: QueueForecast;
}

/** How long reviews and webhooks wait and take, and when what waits is done. */
@Injectable()
export class QueueTimesService {
  constructor(
    private readonly times: QueueTimesRepository,
    private readonly workers: WorkerProcessRepository,
  ) {}

  async read(work: TimedWork, minutes: number, stepMinutes: number): Promise<QueueTimes> {
    const ago = (secs: number) => new Date(Date.now() - secs * 1_000);
    const since = ago(minutes * 60);
    const [waits, took, buckets, marks, recent, workers] = await Promise.all([
      this.times.waits(work, since),
      this.times.work(work, since),
      this.times.listBuckets(work, since, stepMinutes),
      this.workers.listStarts(since),
      this.times.recent(work, ago(OBSERVED_SECS)),
      this.workers.list(),
    ]);
    const slotsOf = ({ concurrency }: { concurrency: number }) =>
      work === 'reviews' ? concurrency : WEBHOOK_SLOTS;
    const present = workers
      .filter(({ silentSecs, quietSince }) => silentSecs <= SILENT_SECS && quietSince === null)
      .map(slotsOf);
    const forecast = forecastQueue({
      ...recent,
      slots: present.reduce((sum, slots) => sum + slots, 0),
      slotsPerWorker: present[0] ?? DEFAULT_SLOTS,
      observedSecs: OBSERVED_SECS,
    });
    return { stepMinutes, waits, work: took, buckets, marks, waiting: recent.waiting, forecast };
  }
}
