import { randomUUID } from 'node:crypto';
import { OutboxRelay } from '../../../apps/worker/src/outbox/outbox-relay';
import { OutboxMessage } from '../../../libs/database/common/outbox-message.entity';
import { REVIEW_VOICE } from '../../../libs/domain/reviews/review-state';
import { eventually } from '../../support/eventually';
import { ReviewBench } from '../../support/review-bench';

describe('the outbox', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start();
  });
  afterEach(async () => {
    await bench.stopWorkers();
    await bench.dataSource.manager.deleteAll(OutboxMessage);
    await bench.queue.obliterate({ force: true });
  });
  afterAll(() => bench.stop());

  const waiting = async () => Object.values(await bench.queue.getJobCounts('waiting', 'active', 'completed'));
  const relay = () => new OutboxRelay(bench.outbox, bench.turns, bench.jobs);

  it('delivers every message once while relays compete', async () => {
    for (let count = 0; count < 120; count += 1) await bench.insertVoice();
    const relays = [relay(), relay(), relay()];
    await eventually(async () => {
      await Promise.all(relays.map((one) => one.relay()));
      expect(await bench.outboxSize()).toBe(0);
    });
    expect(await waiting()).toEqual([120, 0, 0]);
  });

  const limits = (leaseSecs: number) => ({ batch: 50, leaseSecs, jobsInQueue: 0 });

  it('gives a message to one relay at a time, and to another when its lease has run out', async () => {
    const { voiceId } = await bench.insertVoice();
    const [first, second] = [randomUUID(), randomUUID()];
    expect(await bench.turns.claim(first, limits(0.2))).toMatchObject([{ payload: { voiceId } }]);
    expect(await bench.turns.claim(second, limits(30))).toEqual([]);
    const [message] = await eventually(async () => {
      const claimed = await bench.turns.claim(second, limits(30));
      expect(claimed).toHaveLength(1);
      return claimed;
    });
    await bench.outbox.remove([message!.id], first);
    expect(await bench.outboxSize()).toBe(1);
    await bench.outbox.remove([message!.id], second);
    expect(await bench.outboxSize()).toBe(0);
  });

  it('causes one review when a relay dies between adding the job and deleting the message', async () => {
    const { audioDigest: _, ...payload } = await bench.insertVoice();
    await bench.turns.claim(randomUUID(), limits(0));
    await bench.jobs.add(REVIEW_VOICE, payload);
    await bench.startWorker();
    await bench.waitForState(payload.voiceId, 'completed');
    await eventually(async () => expect(await bench.outboxSize()).toBe(0));
    expect(await bench.reviews(payload.voiceId)).toHaveLength(1);
    expect(await bench.history(payload.voiceId)).toEqual(['queued', 'running', 'completed']);
  });

  it('keeps a job of another release and delivers the ones after it', async () => {
    const insert = { job: 'of-tomorrow', payload: {}, voiceId: 'x' };
    await bench.dataSource.manager.insert(OutboxMessage, insert);
    const { voiceId } = await bench.insertVoice();
    await bench.startWorker();
    await bench.waitForState(voiceId, 'completed');
    await eventually(async () => {
      const [left] = await bench.dataSource.manager.find(OutboxMessage);
      expect(left).toMatchObject({ job: 'of-tomorrow', leaseOwner: null });
      expect(left?.lastError).toContain('no such job');
    });
  });
});
