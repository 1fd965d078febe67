import { OutboxMessage } from '@app/database/queue/outbox-message.entity';
import { Queue, Worker } from 'bullmq';
import { loadConfig } from '../../../libs/config/app-config';
import { askRedis, redisTarget } from '../../../libs/connections/redis-client';
import { examineRedisWrites } from '../../../libs/queue/redis-facts';
import { openBackend, queueConnection } from '../../../libs/queue/queue-connection';
import { eventually } from '../../support/eventually';
import { ReviewBench } from '../../support/review-bench';
import { TcpProxy } from '../../support/tcp-proxy';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const onRedis = __QUEUE_BACKEND__ === 'redis' ? describe : describe.skip;

onRedis('while Redis is away', () => {
  let bench: ReviewBench;
  beforeEach(async () => {
    bench = await ReviewBench.start();
  });
  afterEach(() => bench.stop());

  it('messages stay in the outbox, and are delivered when it is back', async () => {
    await bench.startWorker();
    await bench.stopRedis();
    const voices = await Promise.all(Array.from({ length: 5 }, () => bench.insertVoice()));
    await eventually(async () => {
      const messages = await bench.dataSource.manager.find(OutboxMessage);
      expect(messages).toHaveLength(5);
      expect(messages.every((message) => message.lastError !== null)).toBe(true);
    });
    await bench.startRedis();
    for (const { voiceId } of voices) await bench.waitForState(voiceId, 'completed');
    await eventually(async () => expect(await bench.outboxSize()).toBe(0));
    for (const { voiceId } of voices) expect(await bench.reviews(voiceId)).toHaveLength(1);
  });

  it('adding a job fails within seconds instead of waiting', async () => {
    await bench.stopRedis();
    const { audioDigest: _, ...payload } = await bench.insertVoice();
    const startedAt = performance.now();
    await expect(bench.jobs.add('review-voice', payload)).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('one that is full responds and takes no jobs, which is said', async () => {
    const target = redisTarget(bench.config)!;
    expect(await examineRedisWrites(target)).toEqual([{ status: 'ok', detail: 'Redis takes jobs.' }]);
    await askRedis(target, 1_000, (redis) => redis.config('SET', 'maxmemory', '1'));
    const [finding] = await examineRedisWrites(target);
    expect(finding).toMatchObject({ status: 'failed', detail: expect.stringContaining('OOM') as string });
  });

  it('a half-open connection is replaced', async () => {
    const proxy = await TcpProxy.to(bench.config.redisUrl!);
    const connection = queueConnection(loadConfig({ REDIS_URL: proxy.url }));
    const queue = new Queue('half-open', { connection }, openBackend);
    const worker = new Worker('half-open', () => Promise.resolve('done'), { connection }, openBackend);
    queue.on('error', () => undefined);
    worker.on('error', () => undefined);
    try {
      await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
      proxy.forget();
      const job = await eventually(() => queue.add('job', {}));
      await eventually(async () => expect(await job.getState()).toBe('completed'));
    } finally {
      await worker.close(true);
      await queue.close();
      await proxy.stop();
    }
  });

  it('a worker can be stopped', async () => {
    await bench.startWorker();
    await bench.stopRedis();
    const startedAt = performance.now();
    await bench.stopWorkers();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('what was in it is lost, and its voices are reviewed all the same', async () => {
    const voices = await Promise.all(Array.from({ length: 5 }, () => bench.insertVoice()));
    await bench.queue.pause();
    await bench.startWorker({ idleSecs: 1, everyMs: 100 });
    await eventually(async () => expect(await bench.queue.getWaitingCount()).toBe(5));
    await bench.stopRedis();
    await bench.startRedis();
    for (const { voiceId } of voices) await bench.waitForState(voiceId, 'completed');
    for (const { voiceId } of voices) expect(await bench.reviews(voiceId)).toHaveLength(1);
  });
});
