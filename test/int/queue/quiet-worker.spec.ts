import type { INestApplicationContext } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { QueueWatch } from '../../../apps/worker/src/housekeeping/queue-watch';
import { ReviewProcessor } from '../../../apps/worker/src/review/review.processor';
import { WorkerIdentity } from '../../../apps/worker/src/worker-identity';
import { eventually } from '../../support/eventually';
import { ReviewBench } from '../../support/review-bench';

let bench: ReviewBench;

beforeAll(async () => {
  bench = await ReviewBench.start();
});

afterAll(() => bench.stop());

/** What staff order; the worker has followed when this settles. */
async function setQuiet(worker: INestApplicationContext, isQuiet: boolean): Promise<void> {
  const { id } = worker.get(WorkerIdentity);
  await eventually(async () => {
    const rows = await bench.dataSource.query<unknown[]>(
      `UPDATE worker_process SET quiet_since = CASE WHEN $2 THEN now() END WHERE id = $1 RETURNING id`,
      [id, isQuiet],
    );
    expect(rows.flat()).not.toHaveLength(0);
  });
  await eventually(() => expect(worker.get(ReviewProcessor).isQuiet).toBe(isQuiet), { withinMs: 5_000 });
}

it('workers that were killed long ago are forgotten while others run', async () => {
  const worker = await bench.startWorker();
  await bench.dataSource.query(
    `INSERT INTO worker_process (id, name, concurrency, seen_at) SELECT gen_random_uuid(), name, 1, now() - ago::interval
     FROM (VALUES ('killed just now', '10 minutes'), ('killed long ago', '2 hours')) w (name, ago)`,
  );
  await eventually(async () => {
    const names = await bench.dataSource.query<{ name: string }[]>(
      `SELECT name FROM worker_process WHERE name LIKE 'killed%'`,
    );
    expect(names).toEqual([{ name: 'killed just now' }]);
  });
  await bench.dataSource.query(`DELETE FROM worker_process WHERE name LIKE 'killed%'`);
  await worker.close();
});

it('a quiet worker takes nothing new, another one does, and the heartbeat changes nothing about that', async () => {
  const quiet = await bench.startWorker();
  const { voiceId: first } = await bench.insertVoice();
  await bench.waitForState(first, 'completed');
  await setQuiet(quiet, true);
  const { voiceId } = await bench.insertVoice();
  const seen = async () => {
    const [row] = await bench.dataSource.query<{ seen_at: Date; quiet_since: Date | null }[]>(
      'SELECT seen_at, quiet_since FROM worker_process WHERE id = $1',
      [quiet.get(WorkerIdentity).id],
    );
    return row!;
  };
  const before = await seen();
  await eventually(async () => expect((await seen()).seen_at).not.toEqual(before.seen_at));
  expect((await seen()).quiet_since).toEqual(before.quiet_since);
  expect(await bench.queue.getWaitingCount()).toBe(1);
  // Jobs that wait for a worker that was told to be quiet are not its fault.
  await quiet.get(QueueWatch).check(performance.now() - 61_000);
  await quiet.get(QueueWatch).check();
  expect(quiet.get(QueueWatch).worst().isStuck).toBe(false);
  await bench.startWorker();
  await bench.waitForState(voiceId, 'completed');
  expect(quiet.get(ReviewProcessor).isQuiet).toBe(true);
  await bench.stopWorkers();
});

it('a worker finishes what it runs when it becomes quiet, and takes jobs again when it is resumed', async () => {
  const worker = await bench.startWorker();
  const processor = worker.get(ReviewProcessor);
  const voices = await Promise.all(Array.from({ length: 12 }, () => bench.insertVoice()));
  await eventually(() => expect(processor.isBusy).toBe(true), { everyMs: 2 });
  await processor.setQuiet(true);
  await eventually(() => expect(processor.isBusy).toBe(false));
  const states = async () => {
    const rows = await bench.dataSource.query<{ review_state: string }[]>(
      'SELECT review_state FROM voice WHERE id = ANY ($1)',
      [voices.map(({ voiceId }) => voiceId)],
    );
    return rows.map(({ review_state }) => review_state);
  };
  await eventually(async () => expect(await states()).not.toContain('running'));
  const done = (await states()).filter((state) => state === 'completed').length;
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(12);
  expect(new Set(await states())).toEqual(new Set(['completed', 'queued']));
  await processor.setQuiet(false);
  for (const { voiceId } of voices) await bench.waitForState(voiceId, 'completed');
  await bench.stopWorkers();
});

it('a worker that is resumed before its jobs have ended goes on at once, and stops as any other', async () => {
  const worker = await bench.startWorker();
  const processor = worker.get(ReviewProcessor);
  const voices = await Promise.all(Array.from({ length: 12 }, () => bench.insertVoice()));
  await eventually(() => expect(processor.isBusy).toBe(true), { everyMs: 2 });
  await processor.setQuiet(true);
  await processor.setQuiet(false);
  for (const { voiceId } of voices) await bench.waitForState(voiceId, 'completed');
  const { voiceId } = await bench.insertVoice();
  await bench.waitForState(voiceId, 'completed');
  await processor.setQuiet(true);
  const startedAt = performance.now();
  await bench.stopWorkers();
  expect(performance.now() - startedAt).toBeLessThan(8_000);
});

it('a worker that was resumed before its jobs had ended waits for the next one, and does not query without end', async () => {
  const worker = await bench.startWorker();
  const processor = worker.get(ReviewProcessor);
  const voices = await Promise.all(Array.from({ length: 12 }, () => bench.insertVoice()));
  await eventually(() => expect(processor.isBusy).toBe(true), { everyMs: 2 });
  await processor.setQuiet(true);
  await processor.setQuiet(false);
  expect(processor.isBusy).toBe(true);
  for (const { voiceId } of voices) await bench.waitForState(voiceId, 'completed');
  await eventually(() => expect(processor.isBusy).toBe(false));
  const requested = jest.spyOn(processor.worker.getBackend(), 'moveToActive');
  // An idle worker asks once in 5 s; without a pause it would be about 1000 times.
  await sleep(2_000);
  expect(requested.mock.calls.length).toBeLessThan(20);
  // It still takes a new job.
  const { voiceId } = await bench.insertVoice();
  await bench.waitForState(voiceId, 'completed');
  await bench.stopWorkers();
});
