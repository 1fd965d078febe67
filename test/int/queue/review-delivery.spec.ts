import { randomUUID } from 'node:crypto';
import { MACHINE_BUSY, REVIEW_VOICE } from '../../../libs/domain/reviews/review-state';
import { eventually } from '../../support/eventually';
import { whileLocked } from '../../support/query-as';
import { ReviewBench } from '../../support/review-bench';

describe('a voice in review', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start();
  });
  afterEach(() => bench.stopWorkers());
  afterAll(() => bench.stop());

  it('is reviewed once, through the outbox and the queue', async () => {
    const { voiceId } = await bench.insertVoice();
    await bench.startWorker();
    const voice = await bench.waitForState(voiceId, 'completed');
    const [review, ...more] = await bench.reviews(voiceId);
    expect(more).toEqual([]);
    expect(review).toMatchObject({ generation: 1, grade: voice.recordingQuality });
    expect(review?.reason).toBe(voice.recordingQualityReason);
    expect(review?.measurements).toMatchObject({ durationSecs: 1 });
    expect(await bench.history(voiceId)).toEqual(['queued', 'running', 'completed']);
    expect(await bench.outboxSize()).toBe(0);
  });

  it('is reviewed once when its job is delivered again after the verdict', async () => {
    const { voiceId, requestId } = await bench.insertVoice();
    await bench.startWorker();
    await bench.waitForState(voiceId, 'completed');
    const job = { voiceId, generation: 1, requestId };
    const again = await bench.queue.add(REVIEW_VOICE, job, { jobId: `${voiceId}-again` });
    await eventually(async () => expect(await again.getState()).toBe('completed'));
    expect(await bench.history(voiceId)).toEqual(['queued', 'running', 'completed']);
    expect(await bench.reviews(voiceId)).toHaveLength(1);
  });

  it('is reviewed once when workers race for copies of its job', async () => {
    const voices = await Promise.all(Array.from({ length: 8 }, () => bench.insertVoice()));
    const copies = voices.flatMap(({ voiceId, requestId }) =>
      [1, 2, 3].map((copy) => ({
        name: REVIEW_VOICE,
        data: { voiceId, generation: 1, requestId },
        opts: { jobId: `${voiceId}-copy-${copy}` },
      })),
    );
    await Promise.all(copies.map(({ name, data, opts }) => bench.queue.add(name, data, opts)));
    await Promise.all([bench.startWorker(), bench.startWorker()]);
    for (const { voiceId } of voices) await bench.waitForState(voiceId, 'completed');
    await eventually(async () =>
      expect(await bench.queue.getJobCounts('waiting', 'active', 'delayed')).toEqual({
        waiting: 0,
        active: 0,
        delayed: 0,
      }),
    );
    for (const { voiceId } of voices) {
      expect(await bench.reviews(voiceId)).toHaveLength(1);
      expect((await bench.history(voiceId)).filter((state) => state === 'completed')).toHaveLength(1);
    }
  });

  it('is not touched by the job of an older generation', async () => {
    const { voiceId, requestId } = await bench.insertVoice({ enqueue: false });
    await bench.dataSource.transaction(async (em) => {
      const cause = { cause: 're-review', actor: 'test' };
      await bench.voices.startGeneration(await bench.voice(voiceId), 0, cause, em);
    });
    await bench.startWorker();
    const job = { voiceId, generation: 1, requestId };
    const old = await bench.queue.add(REVIEW_VOICE, job, { jobId: `${voiceId}-old` });
    await eventually(async () => expect(await old.getState()).toBe('completed'));
    expect(await bench.voice(voiceId)).toMatchObject({ reviewState: 'queued', reviewGeneration: 2 });
  });

  it('does not count a job that is delivered again at once as an attempt that died', async () => {
    const { voiceId } = await bench.insertVoice({ enqueue: false });
    const claim = () =>
      bench.dataSource.transaction((em) =>
        bench.voices.claimReview(voiceId, 1, randomUUID(), 'a worker', em),
      );
    const attempts = [];
    for (let delivery = 1; delivery <= 8; delivery += 1) attempts.push((await claim())?.attempts);
    expect(attempts).toEqual(Array.from({ length: 8 }, () => 1));
    await bench.dataSource.query(
      `UPDATE voice SET review_touched_at = now() - interval '5 s' WHERE id = $1`,
      [voiceId],
    );
    expect((await claim())?.attempts).toBe(2);
  });

  it('shows that its attempt lives, also while its recording is read', async () => {
    const { voiceId } = await bench.insertVoice();
    const claims = new Map<string, Set<number>>();
    const waitForRenewal = () =>
      eventually(async () => {
        const { reviewState, reviewToken, reviewTouchedAt } = await bench.voice(voiceId);
        expect(reviewState).toBe('running');
        const touched = claims.get(reviewToken!) ?? new Set();
        claims.set(reviewToken!, touched.add(reviewTouchedAt.getTime()));
        expect(touched.size).toBeGreaterThan(1);
      });
    await whileLocked(bench.ownerUrl, 'audio_object', async () => {
      await bench.startWorker();
      await waitForRenewal();
    });
    await bench.waitForState(voiceId, 'completed');
  });

  it('has used no attempt when the database responded too late to one', async () => {
    const { voiceId } = await bench.insertVoice();
    await whileLocked(bench.ownerUrl, 'audio_object', async () => {
      await bench.startWorker();
      await bench.waitForState(voiceId, 'retry_wait');
    });
    await bench.waitForState(voiceId, 'completed');
    expect(await bench.voice(voiceId)).toMatchObject({ reviewAttempts: 1 });
    expect((await bench.causes(voiceId)).join()).toContain(`retry_wait (${MACHINE_BUSY})`);
  });

  it('cannot be changed by an attempt whose token was taken over', async () => {
    const { voiceId, audioDigest } = await bench.insertVoice({ enqueue: false });
    const [zombie, present] = [randomUUID(), randomUUID()];
    await bench.dataSource.transaction((em) => bench.voices.claimReview(voiceId, 1, zombie, 'zombie', em));
    await bench.dataSource.transaction((em) => bench.voices.claimReview(voiceId, 1, present, 'present', em));
    const verdict = {
      voiceId,
      generation: 1,
      audioDigest,
      ruleset: 'test',
      measurements: null,
      impairments: null,
      secondOpinion: null,
      score: 5,
      grade: 'studio' as const,
      reason: 'within_targets',
      lowConfidence: false,
      samples: null,
      tookMs: 1,
    };
    const failed = { to: 'retry_wait', cause: 'late', actor: 'zombie' } as const;
    expect(
      await bench.dataSource.transaction((em) =>
        bench.voices.markReviewed(zombie, 'completed', verdict, 'zombie', em),
      ),
    ).toBe(false);
    expect(
      await bench.dataSource.transaction((em) => bench.voices.markAttemptFailed(voiceId, zombie, failed, em)),
    ).toBe(false);
    expect(await bench.voice(voiceId)).toMatchObject({ reviewState: 'running', reviewToken: present });
    expect(await bench.reviews(voiceId)).toEqual([]);
    expect(
      await bench.dataSource.transaction((em) =>
        bench.voices.markReviewed(present, 'completed', verdict, 'present', em),
      ),
    ).toBe(true);
    expect(
      await bench.dataSource.transaction((em) =>
        bench.voices.markReviewed(present, 'completed', verdict, 'present', em),
      ),
    ).toBe(false);
    expect(await bench.reviews(voiceId)).toHaveLength(1);
  });

  it('is rejected for good, without a second attempt, when its audio cannot be decoded', async () => {
    const { voiceId } = await bench.insertVoice({ bytes: Buffer.from(`no audio ${randomUUID()}`) });
    await bench.startWorker();
    const voice = await bench.waitForState(voiceId, 'rejected');
    expect(voice).toMatchObject({
      recordingQuality: 'bad',
      recordingQualityReason: expect.stringMatching(/^undecodable_audio=/),
    });
    expect(await bench.reviews(voiceId)).toMatchObject([{ score: null, measurements: null }]);
    expect(await bench.history(voiceId)).toEqual(['queued', 'running', 'rejected']);
  });

  describe('whose audio cannot be read', () => {
    const hideAudio = (digest: string) =>
      bench.dataSource.query(`UPDATE audio_object SET digest = 'hidden-' || digest WHERE digest = $1`, [
        digest,
      ]);
    const showAudio = (digest: string) =>
      bench.dataSource.query(`UPDATE audio_object SET digest = $1 WHERE digest = 'hidden-' || $1`, [digest]);

    it('is reviewed by a later attempt, once the audio is back', async () => {
      const { voiceId, audioDigest } = await bench.insertVoice();
      await hideAudio(audioDigest);
      await bench.startWorker();
      const waiting = await bench.waitForState(voiceId, 'retry_wait');
      expect(waiting.recordingQuality).toBeNull();
      await showAudio(audioDigest);
      await bench.waitForState(voiceId, 'completed');
      expect(await bench.history(voiceId)).toEqual(expect.arrayContaining(['retry_wait', 'completed']));
      expect(await bench.reviews(voiceId)).toHaveLength(1);
    });

    it('keeps what its other recordings measured: the next attempt does not measure them again', async () => {
      const { voiceId, audioDigests } = await bench.insertVoice({ takes: 2 });
      await hideAudio(audioDigests[1]!);
      await bench.startWorker();
      await bench.waitForState(voiceId, 'retry_wait');
      // Measured again, it would be rejected.
      const first = audioDigests[0]!;
      await bench.dataSource.query(`UPDATE audio_object SET bytes = 'no audio' WHERE digest = $1`, [first]);
      await showAudio(audioDigests[1]!);
      await bench.waitForState(voiceId, 'completed');
      const [review] = await bench.reviews(voiceId);
      expect(review!.samples).toHaveLength(2);
      expect(await bench.dataSource.query('SELECT * FROM measured_sample')).toEqual([]);
    });

    it('becomes a dead letter without a grade after the last attempt', async () => {
      const { voiceId, audioDigest, requestId } = await bench.insertVoice();
      await hideAudio(audioDigest);
      await bench.startWorker();
      await eventually(
        async () => {
          // Instead of waiting out the back-off.
          await bench.queue.promoteJobs();
          expect((await bench.voice(voiceId)).reviewState).toBe('stalled');
        },
        { everyMs: 200 },
      );
      expect(await bench.voice(voiceId)).toMatchObject({ recordingQuality: null, reviewAttempts: 5 });
      expect(await bench.reviews(voiceId)).toEqual([]);
      const failed = await bench.jobs.stateOf(REVIEW_VOICE, { voiceId, generation: 1, requestId });
      expect(failed).toBe('failed');
    });
  });
});
