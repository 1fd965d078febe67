import type { INestApplicationContext } from '@nestjs/common';
import { HealthServer } from '../../../apps/worker/src/health/health-server';
import { eventually } from '../../support/eventually';
import { hasPgBouncer, PgBouncer } from '../../support/pgbouncer';
import { queryAs } from '../../support/query-as';
import { ReviewBench } from '../../support/review-bench';
import { WorkerProcess } from '../../support/worker-process';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

/** Redis has no functions that a schema could lack. */
const describeOnPostgres = __QUEUE_BACKEND__ === 'postgres' ? describe : describe.skip;
const withPgBouncer = hasPgBouncer ? it : it.skip;

let bench: ReviewBench | undefined;
let pooler: PgBouncer | undefined;

afterEach(async () => {
  await bench?.stop();
  await pooler?.stop();
  [bench, pooler] = [undefined, undefined];
});

/** Reviews one voice over the connections of a worker. */
async function review(to: ReviewBench): Promise<void> {
  await to.startWorker();
  const { voiceId } = await to.insertVoice();
  await to.waitForState(voiceId, 'completed');
}

const through = (settings: Record<string, string>) => async (url: string) => {
  pooler = await PgBouncer.start(url, settings);
  return pooler.url;
};

describe('a review', () => {
  it('takes place when DATABASE_URL has options, also a search_path', async () => {
    const options = encodeURIComponent('-c work_mem=8MB -c search_path=pg_catalog');
    bench = await ReviewBench.start({}, (url) => `${url}?options=${options}`);
    await review(bench);
    expect(await bench.dataSource.query('SHOW work_mem')).toEqual([{ work_mem: '8MB' }]);
  });

  withPgBouncer('takes place through PgBouncer in session mode, with nothing else set', async () => {
    bench = await ReviewBench.start({}, through({ pool_mode: 'session', default_pool_size: '100' }));
    await review(bench);
    expect(await bench.dataSource.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '5s' }]);
  });

  withPgBouncer('takes place through PgBouncer that ignores the options of a startup', async () => {
    const ignored = 'statement_timeout,idle_in_transaction_session_timeout,options,extra_float_digits';
    const settings = { pool_mode: 'session', default_pool_size: '100', ignore_startup_parameters: ignored };
    bench = await ReviewBench.start({}, through(settings));
    await review(bench);
  });
});

describe('a pooler that shares sessions', () => {
  withPgBouncer('is refused with what to do', async () => {
    const start = ReviewBench.start({}, through({ pool_mode: 'transaction' }));
    await expect(start).rejects.toThrow(
      /^The database of DATABASE_URL cannot be used: Connections do not have separate sessions: .* pool_mode = session/,
    );
  });

  withPgBouncer('is refused also when it has one session only', async () => {
    const start = ReviewBench.start({}, through({ pool_mode: 'transaction', default_pool_size: '1' }));
    await expect(start).rejects.toThrow(/Connections do not have separate sessions/);
  });
});

describeOnPostgres('a queue that refuses a worker', () => {
  const refuse = (to: ReviewBench, isRefused: boolean) =>
    queryAs(
      to.ownerUrl,
      isRefused
        ? 'ALTER FUNCTION bullmq.move_to_active RENAME TO renamed'
        : 'ALTER FUNCTION bullmq.renamed RENAME TO move_to_active',
    );

  async function readiness(worker: INestApplicationContext): Promise<object> {
    const response = await fetch(`http://127.0.0.1:${worker.get(HealthServer).port}/readyz`);
    return { status: response.status, ...((await response.json()) as object) };
  }

  it('makes it not ready, until it no longer does', async () => {
    bench = await ReviewBench.start({ WORKER_HEALTH_PORT: '0' });
    const worker = await bench.startWorker();
    expect(await readiness(worker)).toMatchObject({ status: 'ready', queue: true });
    await refuse(bench, true);
    const { voiceId } = await bench.insertVoice();
    await eventually(async () =>
      expect(await readiness(worker)).toMatchObject({ status: 'not_ready', database: true, queue: false }),
    );
    await refuse(bench, false);
    await bench.waitForState(voiceId, 'completed');
    expect(await readiness(worker)).toMatchObject({ status: 'ready', queue: true });
  });

  it('is asked again after a pause, with a few lines in the log', async () => {
    bench = await ReviewBench.start();
    const worker = new WorkerProcess(bench.config);
    try {
      await worker.waitForLog(/Ready for jobs/);
      await refuse(bench, true);
      await bench.insertVoice();
      await worker.waitForLog(/Worker: function .* does not exist/);
      const started = performance.now();
      await eventually(() => expect(performance.now() - started).toBeGreaterThan(5_000));
      const lines = worker.log.split('\n').filter((line) => line.includes('does not exist'));
      expect(lines.length).toBeLessThan(20);
    } finally {
      await worker.kill();
    }
  });
});
