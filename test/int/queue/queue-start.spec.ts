import { Queue } from 'bullmq';
import { QueueWatch } from '../../../apps/worker/src/housekeeping/queue-watch';
import { ReviewProcessor } from '../../../apps/worker/src/review/review.processor';
import { WebhookProcessor } from '../../../apps/worker/src/deliveries/webhook.processor';
import type { JobHandler } from '../../../libs/queue/job-handler';
import { DELIVER_WEBHOOK, type JobName } from '../../../libs/queue/jobs';
import { REVIEW_VOICE } from '../../../libs/domain/reviews/review-state';
import { openBackend, queueConnection } from '../../../libs/queue/queue-connection';
import { loadConfig } from '../../../libs/config/app-config';
import { eventually } from '../../support/eventually';
import { ReviewBench } from '../../support/review-bench';
import { WorkerProcess } from '../../support/worker-process';
import { TcpProxy } from '../../support/tcp-proxy';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const onPostgres = __QUEUE_BACKEND__ === 'postgres' ? it : it.skip;

describe('the queue', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start();
  });
  afterAll(() => bench.stop());

  it('can be opened by many processes at once', async () => {
    const options = { connection: queueConnection(bench.config) };
    const queues = Array.from({ length: 8 }, () => new Queue('at-once', options, openBackend));
    try {
      await Promise.all(queues.map((queue) => queue.waitUntilReady()));
      await Promise.all(queues.map((queue, index) => queue.add('job', {}, { jobId: `job-${index}` })));
      expect(await queues[0]?.getWaitingCount()).toBe(8);
    } finally {
      await Promise.all(queues.map((queue) => queue.close()));
    }
  });

  // On Redis a queue waits for its first connection.
  onPostgres('that could not be reached when it was opened works once it can', async () => {
    const proxy = await TcpProxy.to(bench.config.requireDatabaseUrl());
    proxy.refuse(true);
    const config = loadConfig({ DATABASE_URL: proxy.url });
    const queue = new Queue('late', { connection: queueConnection(config) }, openBackend);
    queue.on('error', () => undefined);
    try {
      await expect(queue.getWaitingCount()).rejects.toThrow();
      proxy.refuse(false);
      await eventually(async () => expect(await queue.getWaitingCount()).toBe(0));
    } finally {
      await queue.close();
      await proxy.stop();
    }
  });

  describe.each([
    [
      'voice-review',
      ReviewProcessor,
      REVIEW_VOICE,
      { voiceId: 'unknown', generation: 1, requestId: 'request' },
    ],
    ['webhooks', WebhookProcessor, DELIVER_WEBHOOK, { deliveryId: '1', dispatch: 1 }],
  ] as const)('%s', (queue, Processor, name, payload) => {
    afterEach(() => bench.stopWorkers());

    it('is seen as stuck when jobs wait for a minute and none is started', async () => {
      const app = await bench.startWorker();
      const [watch, { worker }] = [app.get(QueueWatch), app.get<JobHandler>(Processor)];
      await worker.pause();
      await bench.jobs.add<JobName>(name, payload);
      const start = performance.now();
      await watch.check(start);
      expect(watch.states(start).get(queue)).toMatchObject({ waiting: 1, isStuck: false });
      await watch.check(start + 61_000);
      expect(watch.states(start + 61_000).get(queue)).toMatchObject({ waiting: 1, isStuck: true });
      expect(watch.worst(start + 61_000)).toMatchObject({ waiting: 1, isStuck: true });
      await worker.resume();
      await eventually(async () =>
        expect(await bench.jobs.stateOf<JobName>(name, payload)).toBe('completed'),
      );
      expect(watch.states(start + 62_000).get(queue)).toMatchObject({ isStuck: false });
    });
  });
});

it('a worker whose model for second opinions cannot be used ends with one line', async () => {
  const bench = await ReviewBench.start({ DNSMOS_MODEL_PATH: __filename });
  const worker = new WorkerProcess(bench.config);
  try {
    expect(await worker.end()).toBe(1);
    expect(worker.log).toMatch(
      /DNSMOS_MODEL_PATH: ".+" cannot be used: it is not an ONNX model .+; give the path of/,
    );
  } finally {
    await bench.stop();
  }
});
