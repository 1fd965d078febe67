import { HealthServer } from '../../../apps/worker/src/health/health-server';
import { QueueWatch } from '../../../apps/worker/src/housekeeping/queue-watch';
import { ReviewProcessor } from '../../../apps/worker/src/review/review.processor';
import { Redis } from 'ioredis';
import { loadConfig } from '../../../libs/config/app-config';
import { redisTarget } from '../../../libs/connections/redis-client';
import { examineRedis } from '../../../libs/queue/redis-facts';
import { eventually } from '../../support/eventually';
import { ReviewBench } from '../../support/review-bench';
import { RELEASE } from '../../../libs/database/schema/release';
import { WorkerProcess } from '../../support/worker-process';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const onRedis = __QUEUE_BACKEND__ === 'redis' ? it : it.skip;

describe('the health of a worker', () => {
  let bench: ReviewBench;
  beforeEach(async () => {
    bench = await ReviewBench.start({ WORKER_HEALTH_PORT: '0' });
  });
  afterEach(() => bench.stop());

  async function ask(app: Awaited<ReturnType<ReviewBench['startWorker']>>, path: string) {
    const response = await fetch(`http://127.0.0.1:${app.get(HealthServer).port}${path}`);
    return { status: response.status, body: await response.json() };
  }

  async function metrics(app: Awaited<ReturnType<ReviewBench['startWorker']>>): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${app.get(HealthServer).port}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    return response.text();
  }

  it('is good while it takes what waits, and bad a minute after it stopped taking', async () => {
    const app = await bench.startWorker();
    expect(await ask(app, '/healthz')).toEqual({
      status: 200,
      body: {
        status: 'ok',
        ...RELEASE,
        queues: expect.arrayContaining(
          ['voice-review', 'webhooks'].map((queue) => ({ queue, status: 'ok', waiting: 0, idle_secs: 0 })),
        ),
      },
    });
    const readyz = { status: 200, body: { status: 'ready', database: true, queue: true } };
    // Of a database or a queue that does not respond within 2 s, as on a busy machine, it says that it is away.
    await eventually(async () => expect(await ask(app, '/readyz')).toEqual(readyz));
    expect((await ask(app, '/other')).status).toBe(404);
    await app.get(ReviewProcessor).worker.pause();
    const { voiceId } = await bench.insertVoice({ enqueue: false });
    await bench.jobs.add('review-voice', { voiceId, generation: 1, requestId: 'request' });
    await app.get(QueueWatch).check(performance.now() - 61_000);
    await app.get(QueueWatch).check();
    expect(await ask(app, '/healthz')).toMatchObject({
      status: 503,
      body: {
        status: 'stuck',
        queues: expect.arrayContaining([
          { queue: 'voice-review', status: 'stuck', waiting: 1, idle_secs: expect.any(Number) },
          { queue: 'webhooks', status: 'ok', waiting: 0, idle_secs: 0 },
        ]),
      },
    });
    await app.get(QueueWatch).stuck;
  });

  it('reports its reviews, and all that waits, to Prometheus', async () => {
    const app = await bench.startWorker();
    const { voiceId } = await bench.insertVoice();
    await bench.waitForState(voiceId, 'completed');
    await app.get(ReviewProcessor).worker.pause();
    const waiting = await bench.insertVoice({ enqueue: false });
    await bench.jobs.add('review-voice', { ...waiting });
    await bench.backdate(waiting.voiceId, '90 seconds');
    const text = await metrics(app);
    expect(text).toContain('greenroom_review_duration_seconds_count{outcome="completed"} 1\n');
    expect(text).toContain('greenroom_queue_jobs{queue="voice-review",state="waiting"} 1\n');
    expect(text).toMatch(/^greenroom_queue_wait_seconds\{queue="voice-review"\} 0\.\d/m);
    expect(text).toContain('greenroom_queue_wait_seconds{queue="webhooks"} 0\n');
    expect(text).toContain('greenroom_jobs_overdue_total{job="deliver-webhook"} 0\n');
    expect(text).toContain('greenroom_reviews_open{state="queued"} 1\n');
    expect(text).toMatch(/^greenroom_oldest_review_seconds (89|9\d)\./m);
    expect(text).toContain('greenroom_outbox_lag_seconds 0\n');
    expect(text).toContain('greenroom_dead_letters 0\n');
    expect(text).toContain('greenroom_metrics_unreadable_total 0\n');
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  onRedis('is not ready while Redis is away, and not to blame for what waits there', async () => {
    const app = await bench.startWorker();
    await bench.stopRedis();
    const readyz = { status: 503, body: { database: true, queue: false } };
    await eventually(async () => expect(await ask(app, '/readyz')).toMatchObject(readyz));
    await expect(app.get(QueueWatch).check()).rejects.toThrow();
    expect((await ask(app, '/healthz')).status).toBe(200);
    const left = await metrics(app);
    expect(left).toContain('greenroom_metrics_unreadable_total 2\n');
    expect(left).toContain('greenroom_outbox_lag_seconds 0\n');
    expect(left).not.toContain('greenroom_queue_jobs{');
  });

  onRedis('says that a user of Redis may not read its settings, and what to allow', async () => {
    const redis = new Redis(bench.config.redisUrl!);
    await redis.call('ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all', '-config');
    redis.disconnect();
    const url = Object.assign(new URL(bench.config.redisUrl!), { username: 'app', password: 'secret' });
    const target = redisTarget(loadConfig({ REDIS_URL: url.href }))!;
    expect(await examineRedis(target)).toContainEqual({
      status: 'warning',
      detail: expect.stringMatching(/may not read the settings of Redis .* \+config\|get/),
    });
  });

  onRedis('begins with a warning when Redis may evict jobs', async () => {
    const redis = new Redis(bench.config.redisUrl!);
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    redis.disconnect();
    const worker = new WorkerProcess(bench.config);
    await worker.waitForLog(/maxmemory-policy allkeys-lru.*Set it to noeviction/);
    await worker.waitForLog(/Ready for jobs/);
    await worker.kill();
  });
});
