import { Worker } from 'bullmq';
import type { EntityManager } from 'typeorm';
import { AlertWatch } from '../../../apps/worker/src/alerts/alert-watch';
import { OutboxRelay } from '../../../apps/worker/src/outbox/outbox-relay';
import { ReviewSweeper, SweepLimits } from '../../../apps/worker/src/review/review-sweeper';
import { ReviewFlowRepository } from '../../../libs/database/reviews/review-flow.repository';
import type { Voice } from '../../../libs/database/voices/voice.entity';
import { jobRow, VOICE_REVIEW_QUEUE } from '../../../libs/queue/jobs';
import { REVIEW_VOICE, type ReviewState } from '../../../libs/domain/reviews/review-state';
import { QUEUE_PREFIX, queueConnection } from '../../../libs/queue/queue-connection';
import { eventually } from '../../support/eventually';
import { recording, ReviewBench } from '../../support/review-bench';

const HOUR_MS = 3_600_000;
const AT_ONCE = { idleSecs: 0, everyMs: 100 };
/** Longer than a review takes: what a worker is at is left to it. */
const SOON = { idleSecs: 2, everyMs: 100 };

describe('the sweeper', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start();
  });
  afterEach(() => bench.stopWorkers());
  afterAll(() => bench.stop());

  const sweeper = () => {
    const limits = { ...new SweepLimits(), ...AT_ONCE };
    return new ReviewSweeper(bench.dataSource, bench.voices, bench.outbox, bench.jobs, limits);
  };
  const deliver = () => new OutboxRelay(bench.outbox, bench.turns, bench.jobs).relay();

  it('has a voice reviewed whose job vanished with the queue', async () => {
    const { voiceId } = await bench.insertVoice();
    await deliver();
    await bench.queue.obliterate({ force: true });
    await bench.startWorker(SOON);
    const voice = await bench.waitForState(voiceId, 'completed');
    expect(voice.reviewGeneration).toBeGreaterThan(1);
    expect(await bench.reviews(voiceId)).toHaveLength(1);
  });

  it('has a voice reviewed whose job failed before it could say so', async () => {
    const { voiceId, requestId } = await bench.insertVoice({ enqueue: false });
    // A job that names another kind fails at once, under the id that the review's job would have.
    const jobId = `review-${voiceId}-1`;
    await bench.queue.add('unknown-kind', { voiceId, generation: 1, requestId }, { jobId });
    await bench.startWorker(SOON);
    await bench.waitForState(voiceId, 'completed');
  });

  it('leaves a long review alone: the claim is renewed after each of its recordings', async () => {
    const { voiceId } = await bench.insertVoice({ bytes: () => recording(60), takes: 10 });
    await bench.startWorker();
    await bench.waitForState(voiceId, 'running');
    for (let recordings = 0; recordings < 3; recordings++) {
      await bench.dataSource.query(
        `UPDATE voice SET review_touched_at = now() - interval '10 minutes' WHERE id = $1`,
        [voiceId],
      );
      await eventually(async () =>
        expect(await bench.voices.listAbandoned(new SweepLimits().idleSecs, 1)).toEqual([]),
      );
      expect((await bench.voice(voiceId)).reviewState).toBe('running');
    }
    const voice = await bench.waitForState(voiceId, 'completed', 120_000);
    expect(voice.reviewGeneration).toBe(1);
    expect(await bench.history(voiceId)).toEqual(['queued', 'running', 'completed']);
  }, 300_000);

  it('has a voice reviewed whose worker died with the job, though the queue still counts it as active', async () => {
    const { audioDigest: _, ...payload } = await bench.insertVoice();
    await deliver();
    const dead = new Worker(VOICE_REVIEW_QUEUE, null, {
      connection: queueConnection(bench.config),
      prefix: QUEUE_PREFIX,
      autorun: false,
      lockDuration: 1,
    });
    await dead.getNextJob('of a worker that dies');
    expect(await bench.jobs.stateOf(REVIEW_VOICE, payload)).toBe('active');
    await sweeper().sweep();
    expect(await bench.queue.getJobCounts('active')).toEqual({ active: 0 });
    expect(await bench.voice(payload.voiceId)).toMatchObject({ reviewState: 'queued', reviewGeneration: 2 });
    await bench.startWorker();
    await bench.waitForState(payload.voiceId, 'completed');
    expect(await bench.reviews(payload.voiceId)).toHaveLength(1);
    await dead.close(true);
  });

  it('has a voice reviewed whose next attempt was put off by a clock that was an hour ahead', async () => {
    const { audioDigest: _, ...payload } = await bench.insertVoice({ enqueue: false });
    const jobId = jobRow(REVIEW_VOICE).jobId(payload);
    await bench.queue.add(REVIEW_VOICE, payload, { jobId, delay: HOUR_MS });
    await bench.startWorker(SOON);
    await bench.waitForState(payload.voiceId, 'completed');
    expect(await bench.reviews(payload.voiceId)).toHaveLength(1);
    expect(await bench.queue.getJobCounts('delayed')).toEqual({ delayed: 0 });
  });

  it('leaves a voice alone whose job waits in a long queue', async () => {
    const { audioDigest: _, ...payload } = await bench.insertVoice();
    await deliver();
    const before = await bench.voice(payload.voiceId);
    for (let round = 0; round < 10; round += 1) await sweeper().sweep();
    const after = await bench.voice(payload.voiceId);
    expect(after).toMatchObject({ reviewState: 'queued', reviewGeneration: 1 });
    expect(after.reviewTouchedAt.getTime()).toBeGreaterThan(before.reviewTouchedAt.getTime());
    expect(await bench.jobs.stateOf(REVIEW_VOICE, payload)).toBe('waiting');
    expect(await bench.outboxSize()).toBe(0);
    await bench.startWorker();
    await bench.waitForState(payload.voiceId, 'completed');
  });

  /** For how long the oldest review in a state has been in our hands, to the minute; null without any. */
  async function minutesOpen(state: ReviewState): Promise<number | null> {
    const states = await new ReviewFlowRepository(bench.dataSource).listOpenStates();
    const since = states.find((open) => open.state === state)?.since;
    return since ? Math.floor((Date.now() - since.getTime()) / 60_000) : null;
  }

  it('does not hide for how long a customer waits while staff have paused the queue', async () => {
    await bench.queue.pause();
    const { voiceId } = await bench.insertVoice();
    await bench.backdate(voiceId, '1 hour');
    await deliver();
    await bench.dataSource.query(
      `UPDATE voice SET review_touched_at = now() - interval '1 hour' WHERE id = $1`,
      [voiceId],
    );
    await sweeper().sweep();
    const { reviewState, reviewTouchedAt } = await bench.voice(voiceId);
    expect(reviewState).toBe('queued');
    expect(Date.now() - reviewTouchedAt.getTime()).toBeLessThan(60_000);
    const app = await bench.startWorker();
    await app.get(AlertWatch, { strict: false }).check();
    const alerts = await bench.dataSource.query(`SELECT data FROM alert WHERE kind = 'review_backlog'`);
    expect(alerts).toEqual([{ data: { waiting_minutes: 60 } }]);
    await bench.queue.resume();
    await bench.waitForState(voiceId, 'completed');
  });

  it('counts the wait from the request, also of a review whose job it replaces, and again after another request', async () => {
    const { voiceId } = await bench.insertVoice({ enqueue: false });
    await bench.backdate(voiceId, '1 hour');
    await sweeper().sweep();
    expect(await bench.voice(voiceId)).toMatchObject({ reviewState: 'queued', reviewGeneration: 2 });
    expect(await minutesOpen('queued')).toBe(60);
    const change = (make: (voice: Voice, em: EntityManager) => Promise<unknown>) =>
      bench.dataSource.transaction(async (em) => make(await bench.voice(voiceId), em));
    await change((voice, em) => bench.voices.markStalled(voice, 'a test', 'a worker', em));
    expect([await minutesOpen('queued'), await minutesOpen('stalled')]).toEqual([null, 0]);
    const byStaff = { cause: 're-review', actor: 'staff' };
    await change((voice, em) => bench.voices.startGeneration(voice, 0, byStaff, em));
    expect(await minutesOpen('queued')).toBe(0);
    await bench.startWorker(SOON);
    await bench.waitForState(voiceId, 'completed');
  });

  it('starts a lost review once, however many sweepers look', async () => {
    const { voiceId } = await bench.insertVoice({ enqueue: false });
    await Promise.all(Array.from({ length: 6 }, () => sweeper().sweep()));
    expect(await bench.voice(voiceId)).toMatchObject({ reviewGeneration: 2 });
    expect(await bench.outboxSize()).toBe(1);
    await bench.startWorker();
    await bench.waitForState(voiceId, 'completed');
  });

  /** Loses the job of a voice again and again, until the sweeper stops trying. */
  async function loseEveryJob(): Promise<string> {
    const { voiceId } = await bench.insertVoice({ enqueue: false });
    await eventually(async () => {
      await sweeper().sweep();
      await deliver();
      await bench.queue.obliterate({ force: true });
      expect((await bench.voice(voiceId)).reviewState).toBe('stalled');
    });
    return voiceId;
  }

  it('makes a dead letter of a voice that loses every job', async () => {
    const voiceId = await loseEveryJob();
    const reviewGeneration = 1 + new SweepLimits().maxLostJobs;
    expect(await bench.voice(voiceId)).toMatchObject({ reviewGeneration, recordingQuality: null });
    for (let round = 0; round < 3; round += 1) await sweeper().sweep();
    expect(await bench.outboxSize()).toBe(0);
  });

  it('counts lost jobs from zero after staff have started the review again', async () => {
    const voiceId = await loseEveryJob();
    const byStaff = { cause: 're-review', actor: 'staff' };
    await bench.dataSource.transaction(async (em) => {
      await bench.voices.startGeneration(await bench.voice(voiceId), 0, byStaff, em);
    });
    await sweeper().sweep();
    expect(await bench.voice(voiceId)).toMatchObject({ reviewState: 'queued', reviewGeneration: 8 });
    await bench.startWorker();
    await bench.waitForState(voiceId, 'completed');
  });

  it('ends a review whose attempts were all cut short', async () => {
    const { voiceId } = await bench.insertVoice({ enqueue: false });
    await bench.dataSource.query(
      `UPDATE voice SET review_state = 'running', review_attempts = 5 WHERE id = $1`,
      [voiceId],
    );
    await sweeper().sweep();
    expect(await bench.voice(voiceId)).toMatchObject({ reviewState: 'stalled', recordingQuality: null });
  });
});
