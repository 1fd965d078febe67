import { RecordingGrader, type GradedRecording } from '@app/audio/threads/recording-grader';
import { AudioStore } from '@app/audio-store/audio-store';
import type { Review, SampleVerdict } from '@app/database/voices/review.entity';
import {
  VoiceRepository,
  type ClaimedReview,
  type ClaimedSample,
} from '@app/database/voices/voice.repository';
import { Distribution } from '@app/telemetry/distribution';
import { type ReviewState, REVIEW_VOICE } from '@app/domain/reviews/review-state';
import { worstSample } from '@app/domain/reviews/worst-sample';
import { jobRow, type ReviewVoicePayload } from '@app/queue/jobs';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { UnrecoverableError } from 'bullmq';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { WORKER_ACTOR } from '../worker-identity';
import { NoGoVoices } from './no-go-voices';
import { SameRecordings, type NoGoFindings } from './same-recordings';
import { VerdictWriter } from './verdict-writer';

/** `skipped`: the generation is not wanted any more. `fenced`: another attempt took over while this one worked. */
export type ReviewOutcome = 'completed' | 'rejected' | 'skipped' | 'fenced';

type Verdict = { to: 'completed' | 'rejected' } & Pick<
  Review,
  | 'audioDigest'
  | 'ruleset'
  | 'measurements'
  | 'impairments'
  | 'secondOpinion'
  | 'score'
  | 'grade'
  | 'reason'
  | 'lowConfidence'
>;

/** The verdict on a voice: that on its worst sample, and if it has several, those on all of them. */
type VoiceVerdict = Verdict & Pick<Review, 'samples'>;

/** Up to the longest a task on a recording may take. */
const REVIEW_SECS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const MAX_ATTEMPTS = jobRow(REVIEW_VOICE).options.attempts;
/** Well within the deadline of a step, and within what the sweeper takes for idle. */
const RENEW_MS = 5_000;

@Injectable()
export class ReviewService implements OnApplicationBootstrap, OnApplicationShutdown {
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
    private readonly verdicts: VerdictWriter,
    private readonly same: SameRecordings,
    private readonly noGoVoices: NoGoVoices,
  ) {}

  /** The first review need not wait for what it needs to be loaded; nothing waits for this. */
  onApplicationBootstrap(): void {
    void this.grader.warmUp().catch(({ message }: Error) => this.logger.warn(`Not warmed up: ${message}`));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.grader.close();
  }

  /**
   * Reviews the recordings of a voice once. May run any number of times, also at the same time: only the attempt that
   * claimed last writes, and only once.
   *
   * @param nextStep called between two recordings, and while one waits for its turn
   * @throws the trouble that kept it from a verdict; UnrecoverableError after the last attempt
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
    try {
      const verdict = await this.judge(payload.voiceId, claim, signal, async () => {
        nextStep();
        return this.voices.renewClaim(payload.voiceId, token);
      });
      if (!verdict) return this.endFenced(fields, startedAt);
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
      const { state, toThrow } = await this.endAttempt(payload, token, claim, error as Error);
      this.durations.failed.addSince(startedAt);
      this.logger.warn(`Review failed: ${toThrow.message}`, { ...fields, state, ms: tookMs() });
      throw toThrow;
    }
  }

  private endFenced(fields: object, startedAt: number): ReviewOutcome {
    this.durations.fenced.addSince(startedAt);
    this.logger.log('Review fenced', { ...fields, ms: Math.round(performance.now() - startedAt) });
    return 'fenced';
  }

  /** Null when another attempt took over between two samples. */
  private async judge(
    voiceId: string,
    { attempts, samples }: ClaimedReview,
    signal: AbortSignal,
    renew: () => Promise<boolean>,
  ): Promise<VoiceVerdict | null> {
    if (attempts > MAX_ATTEMPTS) throw new Error('every attempt ended with the end of its process');
    const verdicts: (Verdict & { sampleId: string })[] = [];
    const noGo: NoGoFindings = { found: [], isComplete: true };
    for (const sample of samples) {
      if (verdicts.length > 0 && !(await renew())) return null;
      const graded = await this.grade(sample, signal, renew);
      const heard = { fingerprint: graded.measured?.fingerprint ?? null, speaker: graded.speaker };
      const { found, isComplete } = await this.same.remember(voiceId, sample.audioDigest, heard);
      noGo.found.push(...found);
      noGo.isComplete &&= isComplete;
      verdicts.push({ ...toVerdict(sample.audioDigest, graded), sampleId: sample.id });
    }
    await this.noGoVoices.act(voiceId, noGo);
    const { sampleId: _, ...worst } = worstSample(verdicts);
    return { ...worst, samples: verdicts.length === 1 ? null : verdicts.map(toSampleVerdict) };
  }

  /** Large recordings take turns. One that waits for its turn is not late: the others are bounded. */
  private async grade(
    { mediaType, sizeBytes, audioDigest }: ClaimedSample,
    signal: AbortSignal,
    renew: () => Promise<boolean>,
  ): Promise<GradedRecording> {
    const waiting = setInterval(() => void renew().catch(() => undefined), RENEW_MS);
    const read = async () => {
      clearInterval(waiting);
      return this.read(audioDigest);
    };
    try {
      return await this.grader.grade({ sizeBytes, read }, { signal, mediaType, withFingerprint: true });
    } finally {
      clearInterval(waiting);
    }
  }

  private async read(digest: string): Promise<Uint8Array> {
    const audio = await this.audio.find(digest);
    if (!audio) throw new Error(`audio ${digest} is not in the store`);
    return audio.bytes;
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
function toVerdict(audioDigest: string, { verdict, measured, secondOpinion }: GradedRecording): Verdict {
  const { grade, ruleset, lowConfidence, reasonText: reason } = verdict;
  const decided = { audioDigest, grade, reason, ruleset, lowConfidence, secondOpinion };
  if (!measured) return { ...decided, to: 'rejected', measurements: null, impairments: null, score: null };
  const { score, impairments } = verdict;
  return { ...decided, to: 'completed', measurements: measured.measurements, impairments, score };
}

function toSampleVerdict({
  sampleId,
  grade,
  score,
  reason,
  lowConfidence,
  measurements,
}: Verdict & { sampleId: string }): SampleVerdict {
  return { sampleId, grade, score, reason, lowConfidence, measurements };
}
