import { RecordingGrader, type GradedRecording } from '@app/audio/threads/recording-grader';
import { AudioStore } from '@app/audio-store/audio-store';
import type { MeasuredSample, MeasuredVerdict } from '@app/database/voices/measured-sample.entity';
import { MeasuredSampleRepository } from '@app/database/voices/measured-sample.repository';
import type { ClaimedSample } from '@app/database/voices/voice.repository';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SameRecordings } from './same-recordings';

/** Well within the deadline of a step. */
const STEP_MS = 5_000;

/** Audio that one turn of a review measures, in seconds, or else one sample: about a second of work. */
const TURN_SECS = 120;

/** The attempt for which samples are measured. */
export interface MeasuringAttempt {
  voiceId: string;
  /** Its fencing token. */
  token: string;
  signal: AbortSignal;
  /** Called between two samples, and while one waits for its turn or is measured. */
  nextStep: () => void;
}

/** Measures the samples of a voice one after the other, and keeps what it has measured for an attempt that follows. */
@Injectable()
export class SampleReviews implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(SampleReviews.name);

  constructor(
    private readonly measured: MeasuredSampleRepository,
    private readonly audio: AudioStore,
    private readonly grader: RecordingGrader,
    private readonly same: SameRecordings,
  ) {}

  /** The first review need not wait for what it needs to be loaded; nothing waits for this. */
  onApplicationBootstrap(): void {
    void this.grader.warmUp().catch(({ message }: Error) => this.logger.warn(`Not warmed up: ${message}`));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.grader.close();
  }

  /**
   * What was found out about each sample, in their order. `turn_over` when there is more to measure than fits into one turn;
   * `fenced` when another attempt took over between two of them.
   *
   * @throws the failure that prevented measuring one; the reason of the signal
   */
  async measureAll(
    samples: ClaimedSample[],
    attempt: MeasuringAttempt,
  ): Promise<MeasuredSample[] | 'turn_over' | 'fenced'> {
    const known = await this.measured.list(attempt.voiceId, this.grader.ruleset);
    const done = new Map(known.map((sample) => [sample.sampleId, sample]));
    let heardSecs = 0;
    for (const sample of samples.filter(({ id }) => !done.has(id))) {
      const copy = [...done.values()].find(({ verdict }) => verdict.audioDigest === sample.audioDigest);
      const secs = copy ? 0 : sample.durationSecs;
      if (heardSecs > 0 && heardSecs + secs > TURN_SECS) return 'turn_over';
      done.set(sample.id, copy ? { ...copy, sampleId: sample.id } : await this.measure(sample, attempt));
      heardSecs += secs;
      if (done.size === samples.length) break;
      attempt.nextStep();
      if (!(await this.measured.store(attempt.token, done.get(sample.id)!))) return 'fenced';
    }
    return samples.map(({ id }) => done.get(id)!);
  }

  private async measure(sample: ClaimedSample, attempt: MeasuringAttempt): Promise<MeasuredSample> {
    const { id: sampleId, audioDigest } = sample;
    const graded = await this.grade(sample, attempt);
    const heard = { fingerprint: graded.measured?.fingerprint ?? null, speaker: graded.speaker };
    const blockedRecordings = await this.same.remember(attempt.voiceId, audioDigest, heard);
    const verdict = toVerdict(audioDigest, graded);
    return { sampleId, sample: { id: sampleId }, voiceId: attempt.voiceId, verdict, blockedRecordings };
  }

  /** Large recordings take turns. One that waits for its turn, or is measured by a busy machine, is not late: each is bounded. */
  private async grade(
    { mediaType, sizeBytes, audioDigest }: ClaimedSample,
    { signal, nextStep }: MeasuringAttempt,
  ): Promise<GradedRecording> {
    let isReading = false;
    const waiting = setInterval(() => {
      if (!isReading) nextStep();
    }, STEP_MS);
    const read = async () => {
      isReading = true;
      nextStep();
      const bytes = await this.read(audioDigest);
      isReading = false;
      return bytes;
    };
    try {
      return await this.grader.grade({ sizeBytes, read }, { signal, mediaType, withFingerprint: true });
    } finally {
      clearInterval(waiting);
    }
  }

  private async read(digest: string): Promise<Uint8Array> {
    const audio = await this.audio.find(digest);
    // The first line is what people read first, and what failures are grouped by.
    if (!audio) throw new Error(`the recording is not in the store\naudio ${digest}`);
    return audio.bytes;
  }
}

/** Bytes that are not audio are rejected for good: they will never decode. */
function toVerdict(
  audioDigest: string,
  { verdict, measured, secondOpinion }: GradedRecording,
): MeasuredVerdict {
  const { grade, ruleset, lowConfidence, reasonText: reason } = verdict;
  const decided = { audioDigest, grade, reason, ruleset, lowConfidence, secondOpinion };
  if (!measured) return { ...decided, to: 'rejected', measurements: null, impairments: null, score: null };
  const { score, impairments } = verdict;
  return { ...decided, to: 'completed', measurements: measured.measurements, impairments, score };
}
