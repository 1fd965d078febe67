import { RecordingGrader, type GradedRecording } from '@app/audio/threads/recording-grader';
import { AudioStore } from '@app/audio-store/audio-store';
import { AppConfig } from '@app/config/app-config';
import type { Review } from '@app/database/voices/review.entity';
import { VoiceRepository, type ClaimedReview } from '@app/database/voices/voice.repository';
import { Distribution } from '@app/telemetry/distribution';
import { type ReviewState, REVIEW_VOICE } from '@app/domain/reviews/review-state';
import { jobRow, type ReviewVoicePayload } from '@app/queue/jobs';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { UnrecoverableError } from 'bullmq';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { WORKER_ACTOR } from '../worker-identity';

/** `skipped`: the generation is not wanted any more. `fenced`: another attempt took over while this one worked. */
export type ReviewOutcome = 'completed' | 'rejected' | 'skipped' | 'fenced';

type Verdict = { to: 'completed' | 'rejected' } & Pick<
  Review,
  | 'ruleset'
  | 'measurements'
  | 'impairments'
  | 'secondOpinion'
  | 'score'
  | 'grade'
  | 'reason'
  | 'lowConfidence'
>;

/** Up to the longest a task on a recording may take. */
const REVIEW_SECS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const MAX_ATTEMPTS = jobRow(REVIEW_VOICE).options.attempts;

@Injectable()
export class ReviewService implements OnApplicationShutdown {
  /** Seconds from taking a review to its outcome. */
  readonly durations: Record<ReviewOutcome | 'failed', Distribution> = {
    completed: new Distribution(REVIEW_SECS),
    rejected: new Distribution(REVIEW_SECS),
    skipped: new Distribution(REVIEW_SECS),
    fenced: new Distribution(REVIEW_SECS),
    failed: new Distribution(REVIEW_SECS),
  };
  private readonly logger = new Logger(ReviewService.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly voices: VoiceRepository,
    private readonly audio: AudioStore,
    private readonly grader: RecordingGrader,
    private readonly webhooks: WebhookEvents,
    private readonly config: AppConfig,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.grader.close();
  }

  /**
   * Reviews the recording of a voice once. May run any number of times, also at the same time: only the attempt that
   * claimed last writes, and only once.
   *
   * @throws the trouble that kept it from a verdict; UnrecoverableError after the last attempt
   */
  async reviewVoice(payload: ReviewVoicePayload, signal: AbortSignal): Promise<ReviewOutcome> {
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
    try {
      const verdict = await this.judge(claim, signal);
      const outcome = await this.write(payload, token, claim, verdict, tookMs());
      this.durations[outcome].addSince(startedAt);
      this.logger.log(`Review ${outcome}`, {
        ...fields,
        grade: verdict.grade,
        reason: verdict.reason,
        ms: tookMs(),
      });
      return outcome;
    } catch (error) {
      const { state, toThrow } = await this.endAttempt(payload, token, claim, error as Error);
      this.durations.failed.addSince(startedAt);
      this.logger.warn(`Review failed: ${toThrow.message}`, { ...fields, state, ms: tookMs() });
      throw toThrow;
    }
  }

  private async judge(claim: ClaimedReview, signal: AbortSignal): Promise<Verdict> {
    if (claim.attempts > MAX_ATTEMPTS) throw new Error('every attempt ended with the end of its process');
    const { mediaType, sizeBytes, audioDigest } = claim;
    const source = { sizeBytes, read: () => this.read(audioDigest) };
    const options = { ruleset: this.config.reviewRuleset, signal, mediaType };
    return toVerdict(await this.grader.grade(source, options));
  }

  private async read(digest: string): Promise<Uint8Array> {
    const audio = await this.audio.find(digest);
    if (!audio) throw new Error(`audio ${digest} is not in the store`);
    return audio.bytes;
  }

  private async write(
    { voiceId, generation }: ReviewVoicePayload,
    token: string,
    { audioDigest }: ClaimedReview,
    { to, ...verdict }: Verdict,
    tookMs: number,
  ): Promise<ReviewOutcome> {
    const review = { voiceId, generation, audioDigest, ...verdict, tookMs };
    return this.dataSource.transaction(async (em) => {
      if (!(await this.voices.markReviewed(token, to, review, WORKER_ACTOR, em))) return 'fenced';
      await this.webhooks.voiceReviewed(await this.voices.get(voiceId, em), em);
      return to;
    });
  }

  /** Hands the review back, or parks it after the last attempt. */
  private async endAttempt(
    { voiceId }: ReviewVoicePayload,
    token: string,
    { attempts }: ClaimedReview,
    error: Error,
  ): Promise<{ state: ReviewState | 'fenced' | 'unknown'; toThrow: Error }> {
    const to = attempts >= MAX_ATTEMPTS ? 'stalled' : 'retry_wait';
    const toThrow = to === 'stalled' ? new UnrecoverableError(error.message) : error;
    try {
      const transition = { to, cause: error.message, actor: WORKER_ACTOR } as const;
      const changed = await this.dataSource.transaction((em) =>
        this.voices.markAttemptFailed(voiceId, token, transition, em),
      );
      return { state: changed ? to : 'fenced', toThrow };
    } catch {
      // The database is away. The queue still tries again, and the sweeper finds what the queue drops.
      return { state: 'unknown', toThrow: error };
    }
  }
}

/** Bytes that are not audio are rejected for good: they will never decode. */
function toVerdict({ verdict, measured, secondOpinion }: GradedRecording): Verdict {
  const { grade, ruleset, lowConfidence, reasonText: reason } = verdict;
  const decided = { grade, reason, ruleset, lowConfidence, secondOpinion };
  if (!measured) return { ...decided, to: 'rejected', measurements: null, impairments: null, score: null };
  const { score, impairments } = verdict;
  return { ...decided, to: 'completed', measurements: measured.measurements, impairments, score };
}
