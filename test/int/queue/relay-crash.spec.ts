import Redis from 'ioredis';
import { OutboxMessage } from '@app/database/queue/outbox-message.entity';
import { QUEUE_SCHEMA } from '../../../libs/database/common/application-role';
import { eventually } from '../../support/eventually';
import { ReviewBench } from '../../support/review-bench';
import { WorkerProcess } from '../../support/worker-process';

/** The lease of a relay that was killed is 15 s; a voice must be reviewed within 30 s of the last fault. */
const RECOVERY_MS = 20_000;
/** Longer than a worker takes to start. */
const PAUSED_MS = 60_000;

describe('a relay that has claimed messages', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start();
  });
  afterAll(() => bench.stop());

  /** Lets no job be added to a queue until the returned function is called, which drops those that were about to be. */
  async function holdAdding(): Promise<() => Promise<void>> {
    if (bench.config.redisUrl) {
      const redis = new Redis(bench.config.redisUrl);
      redis.on('error', () => undefined);
      await redis.call('CLIENT', 'PAUSE', PAUSED_MS, 'WRITE');
      return async () => {
        await redis.call('CLIENT', 'UNPAUSE');
        redis.disconnect();
      };
    }
    const runner = bench.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(`LOCK TABLE ${QUEUE_SCHEMA}.job IN SHARE MODE`);
    return async () => {
      // The server does not notice that a client is gone, and would add its job all the same.
      await runner.query(
        `SELECT pg_terminate_backend(pid) FROM pg_locks
         WHERE relation = '${QUEUE_SCHEMA}.job'::regclass AND NOT granted`,
      );
      await runner.rollbackTransaction();
      await runner.release();
    };
  }

  it('is killed before it has added their jobs: another one adds them, well within the time of a review', async () => {
    const addAgain = await holdAdding();
    const worker = new WorkerProcess(bench.config);
    const { voiceId } = await bench.insertVoice();
    try {
      await eventually(async () => {
        const { leaseOwner } = await bench.dataSource.manager.findOneByOrFail(OutboxMessage, { voiceId });
        expect(leaseOwner).not.toBeNull();
      });
    } finally {
      await worker.kill();
      await addAgain();
    }
    expect(await bench.queue.getJobCounts('waiting', 'active', 'completed')).toEqual({
      waiting: 0,
      active: 0,
      completed: 0,
    });
    await bench.startWorker();
    await bench.waitForState(voiceId, 'completed', RECOVERY_MS);
    expect(await bench.reviews(voiceId)).toHaveLength(1);
  });
});
