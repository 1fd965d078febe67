import { AudioTaskStarvedError, AudioTaskTimeoutError } from '@app/audio/threads/audio-threads.error';
import { isLate } from '@app/database/common/late-database';
import type { MeasuredSample, MeasuredVerdict } from '@app/database/voices/measured-sample.entity';
import type { Review, SampleVerdict } from '@app/database/voices/review.entity';
import { VoiceRepository, type ClaimedReview } from '@app/database/voices/voice.repository';
import { isOverload } from '@app/limits/store-overload';
import { Distribution } from '@app/telemetry/distribution';
import {
  HANDED_BACK,
  MACHINE_BUSY,
  TURN_OVER,
  type ReviewState,
  REVIEW_VOICE,
} from '@app/domain/reviews/review-state';
import { worstSample } from '@app/domain/reviews/worst-sample';
import { unlessAborted } from '@app/queue/deadline';
import { jobRow, type ReviewVoicePayload } from '@app/queue/jobs';
import { OutboxRepository } from '@app/queue/outbox.repository';
import { WorkerStoppingError } from '@app/queue/worker-stopping.error';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { UnrecoverableError } from 'bullmq';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { WORKER_ACTOR } from '../worker-identity';
import { BlockedVoicesService } from '@app/administration/voices/blocked-voices.service';
import { SampleReviews, type MeasuringAttempt } from './sample-reviews';
import { VerdictWriter } from './verdict-writer';

/** `skipped`: the generation is obsolete. `fenced`: another attempt took over while this one worked. `turn_over`: another turn measures the rest. */
export type ReviewOutcome = 'completed' | 'rejected' | 'skipped' | 'fenced' | 'turn_over';

/** The verdict on a voice: that on its worst sample, and if it has several, those on all of them. */
type VoiceVerdict = MeasuredVerdict & Pick<Review, 'samples'>;

/** Up to the longest a task on a recording may take. */
const REVIEW_SECS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const MAX_ATTEMPTS = jobRow(REVIEW_VOICE).options.attempts;
/** A recording that takes too much time of a processor twice will always do so. */
const MAX_TIMEOUTS = 2;
/** Twice within what `claimReview` takes for the death of an attempt. */
const RENEW_MS = 1_500;

@Injectable()
export class ReviewService {
  /** Seconds from taking a review to its outcome. */
  readonly durations: Record<ReviewOutcome | 'failed' | 'handed_back', Distribution> = {
    completed: new Distribution(REVIEW_SECS),
    rejected: new Distribution(REVIEW_SECS),
    skipped: new Distribution(REVIEW_SECS),
    fenced: new Distribution(REVIEW_SECS),
    failed: new Distribution(REVIEW_SECS),
    turn_over: new Distribution(REVIEW_SECS),
    handed_back: new Distribution(REVIEW_SECS),
  };
  private readonly logger = new Logger(ReviewService.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly voices: VoiceRepository,
    private readonly samples: SampleReviews,
    private readonly outbox: OutboxRepository,
    private readonly verdicts: VerdictWriter,
    private readonly blockedVoices: BlockedVoicesService,
  ) {}

  /**
   * Reviews the recordings of a voice once. May run any number of times, also at the same time: only the attempt that
   * claimed last writes, and only once.
   *
   * @param nextStep called between two recordings, and while one waits for its turn or is measured
   * @throws the failure that prevented a verdict; UnrecoverableError after the last attempt
   */
  async reviewVoice(
    payload: ReviewVoicePayload,
    signal: AbortSignal,
    nextStep: () => void,
  ): Promise<ReviewOutcome> {
    const startedAt = performance.now();
    const tookMs = () => Math.round(performance.now() - startedAt);
    const token = randomUUID();
    const claim = await this.dataSource.transaction((em) =>
      this.voices.claimReview(payload.voiceId, payload.generation, token, WORKER_ACTOR, em),
    );
    if (!claim) {
      this.durations.skipped.addSince(startedAt);
      this.logger.log('Review skipped: it is obsolete', { ...payload, ms: tookMs() });
      return 'skipped';
    }
    const fields = { ...payload, attempt: claim.attempts };
    this.logger.log('Review claimed', { ...fields, ms: tookMs() });
    const renewing = setInterval(
      () => void this.voices.renewClaim(payload.voiceId, token).catch(() => undefined),
      RENEW_MS,
    );
    try {
      const attempt = { voiceId: payload.voiceId, token, signal, nextStep };
      // A read that is under way ends too late for a worker that stops.
      const verdict = await unlessAborted(signal, this.evaluate(claim, attempt));
      if (verdict === 'fenced') return this.endEarly(verdict, fields, startedAt);
      if (verdict === 'turn_over')
        return this.endEarly(await this.endTurn(payload, token), fields, startedAt);
      const outcome = await this.write(payload, token, verdict, tookMs());
      this.durations[outcome].addSince(startedAt);
      this.logger.log(`Review ${outcome}`, {
        ...fields,
        grade: verdict.grade,
        reason: verdict.reason,
        ms: tookMs(),
      });
      return outcome;
    } catch (error) {
      if (signal.reason instanceof WorkerStoppingError) {
        const state = await this.handBack(payload, token, HANDED_BACK);
        this.durations.handed_back.addSince(startedAt);
        this.logger.log('Review handed back: its worker is stopping', { ...fields, state, ms: tookMs() });
        throw signal.reason;
      }
      const { state, toThrow } = await this.endAttempt(payload, token, claim, error as Error);
      this.durations.failed.addSince(startedAt);
      this.logger.warn(`Review failed: ${toThrow.message}`, { ...fields, state, ms: tookMs() });
      throw toThrow;
    } finally {
      clearInterval(renewing);
    }
  }

  private endEarly(outcome: 'fenced' | 'turn_over', fields: object, startedAt: number): ReviewOutcome {
    this.durations[outcome].addSince(startedAt);
    this.logger.log(`Review ${outcome}`, { ...fields, ms: Math.round(performance.now() - startedAt) });
    return outcome;
  }

  /** The rest of the voice waits for the next turn of its account, with what has been measured. */
  private async endTurn(payload: ReviewVoicePayload, token: string): Promise<'fenced' | 'turn_over'> {
    const cause = { cause: TURN_OVER, actor: WORKER_ACTOR };
    return this.dataSource.transaction(async (em) => {
      if (!(await this.voices.handBack(payload.voiceId, token, cause, em))) return 'fenced';
      const next = { ...payload, turn: (payload.turn ?? 0) + 1 };
      await this.outbox.enqueue(REVIEW_VOICE, next, payload.voiceId, em);
      return 'turn_over';
    });
  }

  private async evaluate(
    { attempts, samples }: ClaimedReview,
    attempt: MeasuringAttempt,
  ): Promise<VoiceVerdict | 'turn_over' | 'fenced'> {
    if (attempts > MAX_ATTEMPTS) throw new Error('every attempt ended with the end of its process');
    const measured = await this.samples.measureAll(samples, attempt);
    if (typeof measured === 'string') return measured;
    await this.blockedVoices.act(attempt.voiceId, {
      found: measured.flatMap(({ blockedRecordings }) => blockedRecordings.found),
      isComplete: measured.every(({ blockedRecordings }) => blockedRecordings.isComplete),
    });
    const worst = worstSample(measured.map(({ verdict }) => verdict));
    return { ...worst, samples: measured.length === 1 ? null : measured.map(toSampleVerdict) };
  }

  private async write(
    { voiceId, generation }: ReviewVoicePayload,
    token: string,
    { to, ...verdict }: VoiceVerdict,
    tookMs: number,
  ): Promise<ReviewOutcome> {
    const review = { voiceId, generation, ...verdict, tookMs };
    return this.dataSource.transaction(async (em) =>
      (await this.verdicts.write(token, to, review, em)) ? to : 'fenced',
    );
  }

  /** The worker stops in order, and another one takes the review at once, or its machine is busy: this was no attempt. */
  private async handBack(
    { voiceId }: ReviewVoicePayload,
    token: string,
    why: string,
  ): Promise<ReviewState | 'fenced' | 'unknown'> {
    const cause = { cause: why, actor: WORKER_ACTOR };
    try {
      const changed = await this.dataSource.transaction((em) =>
        this.voices.handBack(voiceId, token, cause, em),
      );
      return changed ? 'retry_wait' : 'fenced';
    } catch {
      return 'unknown';
    }
  }

  /** Has the review tried again, or parks it after the last attempt. */
  private async endAttempt(
    payload: ReviewVoicePayload,
    token: string,
    { attempts }: ClaimedReview,
    error: Error,
  ): Promise<{ state: ReviewState | 'fenced' | 'unknown'; toThrow: Error }> {
    if (error instanceof AudioTaskStarvedError || isOverload(error) || isLate(error))
      return { state: await this.handBack(payload, token, MACHINE_BUSY), toThrow: error };
    const most = error instanceof AudioTaskTimeoutError ? MAX_TIMEOUTS : MAX_ATTEMPTS;
    const to = attempts >= most ? 'stalled' : 'retry_wait';
    const toThrow = to === 'stalled' ? new UnrecoverableError(error.message) : error;
    try {
      const transition = { to, cause: error.message, actor: WORKER_ACTOR } as const;
      const changed = await this.dataSource.transaction((em) =>
        this.voices.markAttemptFailed(payload.voiceId, token, transition, em),
      );
      return { state: changed ? to : 'fenced', toThrow };
    } catch {
      // The database is away. The queue still tries again, and the sweeper finds what the queue drops.
      return { state: 'unknown', toThrow: error };
    }
  }
}

function toSampleVerdict({ sampleId, verdict }: MeasuredSample): SampleVerdict {
  const { grade, score, reason, lowConfidence, measurements } = verdict;
  return { sampleId, grade, score, reason, lowConfidence, measurements };
}
