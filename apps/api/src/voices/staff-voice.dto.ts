import type { ReviewEvent } from '@app/database/voices/review-event.entity';
import type { Review, SampleVerdict } from '@app/database/voices/review.entity';
import type { ReviewAppeal } from '@app/database/voices/review-appeal.entity';
import type { VoiceRecord, VoiceRow } from '@app/database/voices/staff-voice.repository';
import type { AppealOutcome } from '@app/domain/reviews/appeal';
import type { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import type { ExplainedReason } from '@app/domain/reviews/recording-reasons';
import { reviewInWords } from '@app/domain/reviews/review-in-words';
import { againstTargets, type MeasuredTarget } from '@app/domain/reviews/recording-targets';
import { attemptsOf, type ReviewAttempt } from '@app/domain/reviews/review-attempts';
import {
  labellingStatusOf,
  type LabellingStatus,
  type RecordingGrade,
  type ReviewState,
} from '@app/domain/reviews/review-state';
import { NO_SCORES, type SecondOpinion } from '@app/domain/reviews/second-opinion';
import { journeyOf, type JourneyState } from '@app/domain/voices/voice-journey';
import { curationVersion } from '@app/domain/voices/voice-curation';
import type { SafetyState } from '@app/domain/voices/voice-safety';
import { StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';
import { toVoiceResponse, type VoiceResponse } from './voice.dto';

/** Why a staff member listens to a recording, and to which. */
export class ListenQuery extends ReasonBody {
  @StringField({ optional: true, max: 100 })
  sample_id?: string;
}

export interface StaffVoiceResponse {
  voice_id: string;
  name: string;
  account: { id: string; name: string | null };
  /** What staff file it under; customers never see them. */
  tags: string[];
  status: ReviewState;
  labelling_status: LabellingStatus;
  recording_quality: RecordingGrade | null;
  recording_quality_reason: string | null;
  attempts: number;
  /** First line of why the last failed attempt failed. */
  failure: string | null;
  created_at: string;
  reviewed_at: string;
}

export function toStaffVoiceResponse(row: VoiceRow): StaffVoiceResponse {
  return {
    voice_id: row.id,
    name: row.name,
    account: { id: row.accountId, name: row.accountName },
    tags: row.tags,
    status: row.state,
    labelling_status: labellingStatusOf(row.state),
    recording_quality: row.grade,
    recording_quality_reason: row.reason,
    attempts: row.attempts,
    failure: row.failure?.split('\n')[0] ?? null,
    created_at: row.createdAt.toISOString(),
    reviewed_at: row.touchedAt.toISOString(),
  };
}

export interface StaffVoiceDetailResponse {
  /** What the customer sees. */
  voice: VoiceResponse;
  account: { id: string; name: string | null };
  /** What staff file it under; customers never see them. */
  tags: string[];
  /** Ids under which programs of its account find it beside its own. */
  aliases: string[];
  request_id: string;
  engine: { name: string; language: string; spec: unknown; understood: unknown };
  /** Since when it is in the catalogue of every account; null when it is not. */
  shared_at: string | null;
  /** What staff have decided against it, with what the customer reads; null when nothing. */
  safety: { state: SafetyState; notice: string | null } | null;
  /** Of its tags, its aliases, its safety and its sharing: for the `If-Match` of changes to them. */
  curation_version: number;
  /** The latest appeal of the customer against a grade; null when there is none. */
  appeal: StaffAppealResponse | null;
  status: ReviewState;
  generation: number;
  attempts: AttemptResponse[];
  /** The reasons of the public fields, for people. */
  reasons: ExplainedReason[];
  /** The reasons, or why there are none, in sentences that the customer may read. */
  for_customer: string;
  /** The latest verdict; null before the first. */
  verdict: VerdictResponse | null;
  /** Every verdict, newest first. */
  history: Omit<VerdictResponse, 'measurements' | 'targets' | 'impairments' | 'second_opinion' | 'samples'>[];
  timeline: TransitionResponse[];
  /** What it became, one state after the other, oldest first: from its design to now. */
  journey: JourneyStepResponse[];
  /** Of its review: for the `If-Match` of changes to it. The `ETag` of this response fits those and all others. */
  version: number;
}

interface StaffAppealResponse {
  /** What the customer says. */
  text: string;
  /** Their key, or the member of staff who filed it for them. */
  made_by: string;
  created_at: string;
  appealed_grade: RecordingGrade;
  outcome: AppealOutcome | null;
  /** What the customer read in response. */
  answer: string | null;
  answered_by: string | null;
  answered_at: string | null;
}

interface VerdictResponse {
  generation: number;
  grade: RecordingGrade;
  score: number | null;
  reason: string;
  ruleset: string;
  decided_by: string;
  low_confidence: boolean;
  took_ms: number;
  completed_at: string;
  audio_sha256: string;
  measurements: RecordingMeasurements | null;
  targets: MeasuredTarget[];
  /** What each trouble takes off the score. */
  impairments: Record<string, number> | null;
  /**
   * What a DNSMOS model says of the recording, on the ACR scale; part of the grade only where the ruleset has it. Null
   * without a model.
   */
  second_opinion: SecondOpinion | null;
  /** The verdict on each of several samples, of which the worst decided; null for a voice of one. */
  samples: SampleVerdictResponse[] | null;
}

interface SampleVerdictResponse {
  sample_id: string;
  grade: RecordingGrade;
  score: number | null;
  reason: string;
  low_confidence: boolean;
  /** Null when the audio could not be decoded, and in reviews of earlier releases. */
  measurements: RecordingMeasurements | null;
}

export interface AttemptResponse {
  generation: number;
  number: number;
  worker: string;
  started_at: string;
  ended_at: string | null;
  outcome: ReviewAttempt['outcome'];
  failure: string | null;
}

interface JourneyStepResponse {
  state: JourneyState;
  at: string;
  /** Null for what it is now. */
  ended_at: string | null;
}

interface TransitionResponse {
  at: string;
  generation: number;
  from: ReviewState | null;
  to: ReviewState;
  cause: string;
  actor: string;
}

export function toStaffVoiceDetail(record: VoiceRecord): StaffVoiceDetailResponse {
  const { voice, accountName, reviews, events } = record;
  const [latest] = reviews;
  const words = reviewInWords({
    state: voice.reviewState,
    grade: voice.recordingQuality,
    reason: voice.recordingQualityReason,
    measurements: (latest?.measurements ?? null) as RecordingMeasurements | null,
  });
  return {
    voice: toVoiceResponse(voice, null),
    account: { id: voice.accountId, name: accountName },
    tags: voice.tags,
    aliases: voice.aliases,
    request_id: voice.requestId,
    engine: {
      name: voice.engine,
      language: voice.language,
      spec: voice.spec,
      understood: voice.understood,
    },
    shared_at: voice.sharedAt?.toISOString() ?? null,
    safety: voice.safetyState && { state: voice.safetyState, notice: voice.safetyNotice },
    curation_version: curationVersion(voice),
    appeal: record.appeal && toStaffAppealResponse(record.appeal),
    status: voice.reviewState,
    generation: voice.reviewGeneration,
    attempts: attemptsOf(events).map(toAttemptResponse),
    reasons: words.reasons,
    for_customer: words.forCustomer,
    verdict: latest ? toVerdictResponse(latest) : null,
    history: reviews.map(toPastVerdict),
    timeline: events.map(toTransitionResponse),
    journey: toJourney(record),
    version: Number(events.at(-1)?.id ?? 0),
  };
}

function toStaffAppealResponse(appeal: ReviewAppeal): StaffAppealResponse {
  return {
    text: appeal.text,
    made_by: appeal.madeBy,
    created_at: appeal.createdAt.toISOString(),
    appealed_grade: appeal.grade,
    outcome: appeal.outcome,
    answer: appeal.answer,
    answered_by: appeal.answeredBy,
    answered_at: appeal.answeredAt?.toISOString() ?? null,
  };
}

function toVerdictResponse(review: Review): VerdictResponse {
  const measurements = review.measurements as RecordingMeasurements | null;
  const impairments = review.impairments as Record<string, number> | null;
  const targets = measurements ? againstTargets(measurements) : [];
  return {
    ...toPastVerdict(review),
    measurements,
    targets,
    impairments,
    // Older reviews lack the scores of models that came later.
    second_opinion: review.secondOpinion && { ...NO_SCORES, ...review.secondOpinion },
    samples: review.samples?.map(toSampleVerdictResponse) ?? null,
  };
}

function toSampleVerdictResponse(sample: SampleVerdict): SampleVerdictResponse {
  const { sampleId, grade, score, reason, lowConfidence } = sample;
  const measurements = (sample.measurements ?? null) as RecordingMeasurements | null;
  return { sample_id: sampleId, grade, score, reason, low_confidence: lowConfidence, measurements };
}

function toPastVerdict(review: Review): StaffVoiceDetailResponse['history'][number] {
  return {
    generation: review.generation,
    grade: review.grade,
    score: review.score,
    reason: review.reason,
    ruleset: review.ruleset,
    decided_by: review.decidedBy,
    low_confidence: review.lowConfidence,
    took_ms: review.tookMs,
    completed_at: review.completedAt.toISOString(),
    audio_sha256: review.audioDigest,
  };
}

function toAttemptResponse(attempt: ReviewAttempt): AttemptResponse {
  return {
    generation: attempt.generation,
    number: attempt.number,
    worker: attempt.actor,
    started_at: attempt.startedAt.toISOString(),
    ended_at: attempt.endedAt?.toISOString() ?? null,
    outcome: attempt.outcome,
    failure: attempt.failure,
  };
}

function toJourney({ moments, events }: VoiceRecord): JourneyStepResponse[] {
  const reviews = events.map(({ toState: state, at }) => ({ state, at }));
  return journeyOf([...moments.before, ...reviews, ...moments.beside]).map(({ state, at, endedAt }) => {
    return { state, at: at.toISOString(), ended_at: endedAt?.toISOString() ?? null };
  });
}

function toTransitionResponse(event: ReviewEvent): TransitionResponse {
  const { generation, fromState: from, toState: to, cause, actor } = event;
  return { at: event.at.toISOString(), generation, from, to, cause, actor };
}
