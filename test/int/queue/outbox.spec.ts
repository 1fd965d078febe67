import { randomUUID } from 'node:crypto';
import { OutboxListener } from '../../../apps/worker/src/outbox/outbox-listener';
import { OutboxRelay } from '../../../apps/worker/src/outbox/outbox-relay';
import { RelayWakeSignal } from '../../../apps/worker/src/outbox/relay-wake-signal';
import { OutboxMessage } from '@app/database/queue/outbox-message.entity';
import { ListeningConnection } from '../../../libs/database/common/listening-connection';
import { REVIEW_VOICE } from '../../../libs/domain/reviews/review-state';
import { DELIVER_WEBHOOK } from '../../../libs/queue/jobs';
import { OUTBOX_CHANNEL } from '../../../libs/queue/outbox.repository';
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

  it('is as late as what a queue refuses was due first, however often it was tried', async () => {
    const inAnHour = { deliveryId: '0', dispatch: 1 };
    await bench.outbox.enqueueAll(DELIVER_WEBHOOK, [inAnHour], 3_600, bench.dataSource.manager);
    expect(await bench.flow.getOutboxLag()).toMatchObject({ messages: 0, scheduled: 1, oldestSecs: 0 });
    await bench.dataSource.query(
      `UPDATE outbox SET available_at = available_at - interval '61 minutes', due_at = due_at - interval '61 minutes',
         created_at = created_at - interval '61 minutes'`,
    );
    const owner = randomUUID();
    const [message] = await bench.outbox.claim(owner, 1, 30);
    const failed = { id: message!.id, delaySecs: 10, error: 'OOM command not allowed' };
    await bench.outbox.release([failed], owner);
    const { oldestSecs, ...lag } = await bench.flow.getOutboxLag();
    expect([lag, Math.round(oldestSecs / 60)]).toMatchObject([{ messages: 1, failing: 1 }, 1]);
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

  describe('whose relay looks once an hour', () => {
    const HOUR_MS = 3_600_000;
    const startWorker = async () => bench.startWorker({ idleSecs: 3_600, relayEveryMs: HOUR_MS });
    const listening = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'greenroom-outbox'`;
    /** The server processes of the connections on which workers listen. */
    const listenersPids = async () =>
      (await bench.dataSource.query<{ pid: number }[]>(`SELECT pid ${listening}`)).map(({ pid }) => pid);
    /** Waits until the relay has looked and found nothing. */
    const untilListening = async () =>
      eventually(async () => {
        expect(await listenersPids()).toHaveLength(1);
        const { voiceId } = await bench.insertVoice();
        await bench.waitForState(voiceId, 'completed');
      });

    it('is delivered as soon as it is committed', async () => {
      await startWorker();
      await untilListening();
      for (let voice = 0; voice < 3; voice += 1) {
        const { voiceId } = await bench.insertVoice();
        await bench.waitForState(voiceId, 'completed');
      }
    });

    it('is delivered also when it was committed while the worker could not listen', async () => {
      await startWorker();
      await untilListening();
      const [before] = await listenersPids();
      await bench.dataSource.query(`SELECT pg_terminate_backend(pid) ${listening}`);
      const { voiceId } = await bench.insertVoice();
      await bench.waitForState(voiceId, 'completed');
      expect(await listenersPids()).not.toContain(before);
    });

    it('is rung for at once, and for many together a little later', async () => {
      const wakeSignal = new RelayWakeSignal();
      const rungAtMs: number[] = [];
      wakeSignal.onWake(() => rungAtMs.push(performance.now()));
      const listener = new OutboxListener(bench.config, wakeSignal);
      listener.onApplicationBootstrap();
      await eventually(() => expect(rungAtMs).toHaveLength(1));
      const startedAtMs = performance.now();
      const message = { deliveryId: randomUUID(), dispatch: 1 };
      let lastSentAtMs = startedAtMs;
      for (let count = 0; count < 100; count += 1) {
        lastSentAtMs = performance.now();
        await bench.outbox.enqueueAll(DELIVER_WEBHOOK, [message], 0, bench.dataSource.manager);
      }
      // The notice of a commit may arrive before the commit's own response.
      await eventually(() => expect(rungAtMs.at(-1)).toBeGreaterThan(lastSentAtMs));
      expect(rungAtMs.length - 1).toBeLessThanOrEqual((rungAtMs.at(-1)! - startedAtMs) / 100 + 1);
      await listener.beforeApplicationShutdown();
    });

    it('is not announced when its transaction is rolled back', async () => {
      const heard: string[] = [];
      const connection = await ListeningConnection.open(bench.config.requireDatabaseUrl(), {
        name: 'test',
        channels: [OUTBOX_CHANNEL],
        received: (channel) => heard.push(channel),
      });
      const message = { deliveryId: randomUUID(), dispatch: 1 };
      const rolledBack = bench.dataSource.transaction(async (em) => {
        await bench.outbox.enqueueAll(DELIVER_WEBHOOK, [message], 0, em);
        throw new Error('changed our mind');
      });
      await expect(rolledBack).rejects.toThrow('changed our mind');
      await bench.outbox.enqueueAll(DELIVER_WEBHOOK, [message], 60, bench.dataSource.manager);
      await connection.query('SELECT 1');
      expect(heard).toEqual([]);
      await bench.outbox.enqueueAll(DELIVER_WEBHOOK, [message], 0, bench.dataSource.manager);
      await eventually(() => expect(heard).toEqual([OUTBOX_CHANNEL]));
      await connection.close();
    });
  });
});
