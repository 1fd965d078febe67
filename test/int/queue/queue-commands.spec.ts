import { QueueCommandRepository } from '@app/database/queue/queue-command.repository';
import { VOICE_REVIEW_QUEUE } from '../../../libs/queue/jobs';
import { eventually } from '../../support/eventually';
import { ReviewBench } from '../../support/review-bench';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

let bench: ReviewBench;

beforeAll(async () => {
  bench = await ReviewBench.start();
});

afterAll(() => bench.stop());

/** The backend of the queue loses everything that it knows. */
async function loseQueue(): Promise<void> {
  if (__QUEUE_BACKEND__ === 'postgres') return bench.queue.resume();
  await bench.stopRedis();
  await bench.startRedis();
}

async function order(isPaused: boolean): Promise<void> {
  const orders = new QueueCommandRepository(bench.dataSource);
  await bench.dataSource.transaction(async (em) => {
    await orders.lock(VOICE_REVIEW_QUEUE, em);
    await orders.set({ queue: VOICE_REVIEW_QUEUE, isPaused, orderedBy: 'ops', reason: 'a test' }, em);
  });
}

const becomesPaused = (isPaused: boolean) =>
  eventually(async () => expect(await bench.queue.isPaused()).toBe(isPaused));

it('a queue that staff have paused is paused again when its backend has lost that, and until they resume it', async () => {
  await bench.startWorker();
  await order(true);
  await becomesPaused(true);
  await loseQueue();
  await becomesPaused(true);
  const { voiceId } = await bench.insertVoice();
  await eventually(async () => expect(await bench.outboxSize()).toBe(0));
  expect(await bench.voice(voiceId)).toMatchObject({ reviewState: 'queued' });
  await order(false);
  await bench.waitForState(voiceId, 'completed');
});
