import type { QueryRunner } from 'typeorm';
import { QUEUE_SCHEMA } from '../../../libs/database/common/application-role';
import { VOICE_REVIEW_QUEUE } from '../../../libs/queue/jobs';
import { eventually } from '../../support/eventually';
import { ReviewBench } from '../../support/review-bench';
import { WorkerProcess } from '../../support/worker-process';

/** A killed worker's job is free after its lock of 10 s, and found by a check every 5 s. */
const RECOVERY_MS = 25_000;
const HOUR_MS = 3_600_000;

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

// Redis keeps the time of the check by its own clock.
const onPostgres = __QUEUE_BACKEND__ === 'postgres' ? it : it.skip;

describe('a worker in the middle of a review', () => {
  let bench: ReviewBench;
  let worker: WorkerProcess;
  let storeLock: QueryRunner;

  beforeAll(async () => {
    bench = await ReviewBench.start();
  });
  beforeEach(async () => {
    // A review cannot read its audio while this is held: it has claimed the voice and waits.
    storeLock = bench.dataSource.createQueryRunner();
    worker = new WorkerProcess(bench.config);
    await worker.waitForLog(/Ready for jobs/);
  });
  afterEach(async () => {
    if (storeLock.isTransactionActive) await storeLock.rollbackTransaction();
    await storeLock.release();
    await worker.kill();
    await bench.stopWorkers();
  });
  afterAll(() => bench.stop());

  /** Locks what a review reads first, or another table that it needs. */
  async function beginReview(takes = 1, locked = 'audio_object'): Promise<string> {
    const { voiceId } = await bench.insertVoice({ takes, enqueue: false });
    await storeLock.startTransaction();
    await storeLock.query(`LOCK TABLE ${locked} IN ACCESS EXCLUSIVE MODE`);
    await bench.enqueueReview(voiceId);
    await bench.waitForState(voiceId, 'running');
    return voiceId;
  }

  /** A review that has only its verdict to store: what is left of it does not take long on a busy machine either. */
  async function nearlyFinishReview(): Promise<string> {
    const voiceId = await beginReview(1, 'review');
    await eventually(async () => {
      const waiting = await bench.dataSource.query<unknown[]>(
        `SELECT 1 FROM pg_locks WHERE relation = 'review'::regclass AND NOT granted`,
      );
      expect(waiting).not.toEqual([]);
    });
    return voiceId;
  }

  it('is killed: another worker reviews the voice, once', async () => {
    const voiceId = await beginReview();
    await worker.kill();
    await storeLock.rollbackTransaction();
    await bench.startWorker();
    await bench.waitForState(voiceId, 'completed', RECOVERY_MS);
    expect(await bench.history(voiceId)).toEqual(['queued', 'running', 'running', 'completed']);
    expect(await bench.reviews(voiceId)).toHaveLength(1);
  });

  onPostgres(
    'is killed after a worker whose clock was an hour ahead: another one reviews the voice',
    async () => {
      const voiceId = await beginReview();
      await worker.kill();
      await storeLock.rollbackTransaction();
      const [, moved] = await bench.dataSource.query<[unknown[], number]>(
        `UPDATE ${QUEUE_SCHEMA}.meta SET value = value::bigint + $2 WHERE queue = $1 AND field = 'stalled-check'`,
        [VOICE_REVIEW_QUEUE, HOUR_MS],
      );
      expect(moved).toBe(1);
      await bench.startWorker();
      await bench.waitForState(voiceId, 'completed', RECOVERY_MS);
      expect(await bench.reviews(voiceId)).toHaveLength(1);
    },
  );

  it('is killed: another worker reviews all of three recordings', async () => {
    const voiceId = await beginReview(3);
    await worker.kill();
    await storeLock.rollbackTransaction();
    await bench.startWorker();
    await bench.waitForState(voiceId, 'completed', RECOVERY_MS);
    const [review] = await bench.reviews(voiceId);
    expect(review!.samples).toHaveLength(3);
  });

  it('is frozen past its lock: another worker reviews the voice, and the frozen one changes nothing', async () => {
    const voiceId = await beginReview();
    worker.signal('SIGSTOP');
    await storeLock.rollbackTransaction();
    await bench.startWorker();
    await bench.waitForState(voiceId, 'completed', RECOVERY_MS);
    const [verdict] = await bench.reviews(voiceId);
    worker.signal('SIGCONT');
    // From the voice; or from the queue, when the time limit of a statement ends its attempt before.
    await worker.waitForLog(/Review (fenced|failed.*fenced)|Missing lock/);
    expect(await bench.history(voiceId)).toEqual(['queued', 'running', 'running', 'completed']);
    expect(await bench.reviews(voiceId)).toEqual([verdict]);
  });

  it('is stopped in order: it finishes the review and exits with 0', async () => {
    const voiceId = await nearlyFinishReview();
    worker.signal('SIGTERM');
    await worker.waitForLog(/Stopping: SIGTERM/);
    await storeLock.rollbackTransaction();
    expect(await worker.end()).toBe(0);
    expect(await bench.history(voiceId)).toEqual(['queued', 'running', 'completed']);
  });

  it('is stopped in order during a longer review, twice: it hands it back at once, and neither is an attempt', async () => {
    const voiceId = await beginReview();
    for (const stops of [1, 2]) {
      worker.signal('SIGTERM');
      expect(await worker.end()).toBe(0);
      expect(await bench.voice(voiceId)).toMatchObject({ reviewState: 'retry_wait', reviewAttempts: 0 });
      const job = await bench.queue.getJob(`review-${voiceId}-1`);
      expect([await job!.getState(), job!.attemptsMade]).toEqual(['waiting', 0]);
      if (stops === 2) break;
      worker = new WorkerProcess(bench.config);
      await bench.waitForState(voiceId, 'running');
    }
    await storeLock.rollbackTransaction();
    await bench.startWorker();
    expect(await bench.waitForState(voiceId, 'completed')).toMatchObject({ reviewAttempts: 1 });
    const states = ['queued', 'running', 'retry_wait', 'running', 'retry_wait', 'running', 'completed'];
    expect(await bench.history(voiceId)).toEqual(states);
  });

  it('loses its launcher: it finishes the review and exits with 0', async () => {
    const voiceId = await nearlyFinishReview();
    worker.disconnect();
    await worker.waitForLog(/Stopping: the launcher is gone/);
    await storeLock.rollbackTransaction();
    expect(await worker.end()).toBe(0);
    expect(await bench.history(voiceId)).toEqual(['queued', 'running', 'completed']);
  });
});
