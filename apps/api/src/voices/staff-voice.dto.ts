import type { ReviewEvent } from '@app/database/voices/review-event.entity';
import type { Review, SampleVerdict } from '@app/database/voices/review.entity';
import type { ReviewAppeal } from '@app/database/voices/review-appeal.entity';
import type { VoiceRecord, VoiceRow } from '@app/database/voices/staff-voice.repository';
import type { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import { reviewInWords } from '@app/domain/reviews/review-in-words';
import { againstTargets } from '@app/domain/reviews/recording-targets';
import { attemptsOf, type ReviewAttempt } from '@app/domain/reviews/review-attempts';
import { labellingStatusOf } from '@app/domain/reviews/review-state';
import { NO_SCORES, type SecondOpinion } from '@app/domain/reviews/second-opinion';
import { journeyOf } from '@app/domain/voices/voice-journey';
import { curationVersion } from '@app/domain/voices/voice-curation';
import { choose } from '../http/choose';
import { StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';
import { toVoiceResponse } from './voice.dto';

/** Why a staff member listens to a recording, and to which. */
export class ListenQuery extends ReasonBody {
  @StringField({ optional: true, max: 100 })
  sample_id?: string;
}

export interface StaffVoiceResponse extends ReturnType<typeof toStaffVoiceResponse> {}

export function toStaffVoiceResponse(row: VoiceRow) {
  return {
    voice_id: row.id,
    name: row.name,
    account: { id: row.accountId, name: row.accountName },
    /** What staff file it under; customers never see them. */
    tags: row.tags,
    status: row.state,
    labelling_status: labellingStatusOf(row.state),
    recording_quality: row.grade,
    recording_quality_reason: row.reason,
    attempts: row.attempts,
    /** First line of why the last failed attempt failed. */
    failure: row.failure?.split('\n')[0] ?? null,
    created_at: row.createdAt.toISOString(),
    reviewed_at: row.touchedAt.toISOString(),
  };
}

export interface StaffVoiceDetailResponse extends ReturnType<typeof toStaffVoiceDetail> {}

export function toStaffVoiceDetail(record: VoiceRecord) {
  const { voice, accountName, reviews, events } = record;
  const [latest] = reviews;
  const words = reviewInWords({
    state: voice.reviewState,
    grade: voice.recordingQuality,
    reason: voice.recordingQualityReason,
    measurements: (latest?.measurements ?? null) as RecordingMeasurements | null,
  });
  return {
    /** What the customer sees. */
    voice: toVoiceResponse(voice, null),
    account: { id: voice.accountId, name: accountName },
    /** What staff file it under; customers never see them. */
    tags: voice.tags,
    /** Ids under which programs of its account find it beside its own. */
    aliases: voice.aliases,
    request_id: voice.requestId,
    engine: {
      name: voice.engine,
      language: voice.language,
      spec: voice.spec as unknown,
      understood: voice.understood as unknown,
    },
    /** Since when it is in the catalogue of every account; null when it is not. */
    shared_at: voice.sharedAt?.toISOString() ?? null,
    /** What staff have decided against it, with what the customer reads; null when nothing. */
    safety: voice.safetyState && { state: voice.safetyState, notice: voice.safetyNotice },
    /** Of its tags, its aliases, its safety and its sharing: for the `If-Match` of changes to them. */
    curation_version: curationVersion(voice),
    /** The latest appeal of the customer against a grade; null when there is none. */
    appeal: record.appeal && toStaffAppealResponse(record.appeal),
    status: voice.reviewState,
    generation: voice.reviewGeneration,
    attempts: attemptsOf(events).map(toAttemptResponse),
    /** The reasons of the public fields, for people. */
    reasons: words.reasons,
    /** The reasons, or why there are none, in sentences that the customer may read. */
    for_customer: words.forCustomer,
    /** The latest verdict; null before the first. */
    verdict: latest ? toVerdictResponse(latest) : null,
    /** Every verdict, newest first. */
    history: reviews.map(toPastVerdict),
    timeline: events.map(toTransitionResponse),
    /** What it became, one state after the other, oldest first: from its design to now. */
    journey: toJourney(record),
    /** Of its review: for the `If-Match` of changes to it. The `ETag` of this response fits those and all others. */
    version: Number(events.at(-1)?.id ?? 0),
  };
}

export interface StaffAppealResponse extends ReturnType<typeof toStaffAppealResponse> {}

function toStaffAppealResponse(appeal: ReviewAppeal) {
  return {
    /** What the customer says. */
    text: appeal.text,
    /** Their key, or the member of staff who filed it for them. */
    made_by: appeal.madeBy,
    created_at: appeal.createdAt.toISOString(),
    appealed_grade: appeal.grade,
    outcome: appeal.outcome,
    /** What the customer read in response. */
    answer: appeal.answer,
    ...choose(appeal, 'answeredBy', 'answeredAt'),
  };
}

export interface VerdictResponse extends ReturnType<typeof toVerdictResponse> {}

function toVerdictResponse(review: Review) {
  const measurements = review.measurements as RecordingMeasurements | null;
  return {
    ...toPastVerdict(review),
    measurements,
    targets: measurements ? againstTargets(measurements) : [],
    /** What each trouble takes off the score. */
    impairments: review.impairments as Record<string, number> | null,
    /**
     * What a DNSMOS model says of the recording, on the ACR scale; part of the grade only where the ruleset has it. Null
     * without a model.
     */
    // Older reviews lack the scores of models that came later.
    second_opinion: review.secondOpinion
      ? ({ ...NO_SCORES, ...review.secondOpinion } as SecondOpinion)
      : null,
    /** The verdict on each of several samples, of which the worst decided; null for a voice of one. */
    samples: review.samples?.map(toSampleVerdictResponse) ?? null,
  };
}

export interface SampleVerdictResponse extends ReturnType<typeof toSampleVerdictResponse> {}

function toSampleVerdictResponse(sample: SampleVerdict) {
  const { sampleId, grade, score, reason, lowConfidence } = sample;
  const measurements = (sample.measurements ?? null) as RecordingMeasurements | null;
  return {
    sample_id: sampleId,
    grade,
    score,
    reason,
    low_confidence: lowConfidence,
    /** Null when the audio could not be decoded, and in reviews of earlier releases. */
    measurements,
  };
}

function toPastVerdict(review: Review) {
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

export interface AttemptResponse extends ReturnType<typeof toAttemptResponse> {}

function toAttemptResponse(attempt: ReviewAttempt) {
  return {
    ...choose(attempt, 'generation', 'number'),
    worker: attempt.actor,
    ...choose(attempt, 'startedAt', 'endedAt', 'outcome', 'failure'),
  };
}

function toJourney({ moments, events }: VoiceRecord) {
  const reviews = events.map(({ toState: state, at }) => ({ state, at }));
  return journeyOf([...moments.before, ...reviews, ...moments.beside]).map(toJourneyStep);
}

export interface JourneyStepResponse extends ReturnType<typeof toJourneyStep> {}

function toJourneyStep({ state, at, endedAt }: ReturnType<typeof journeyOf>[number]) {
  return {
    state,
    at: at.toISOString(),
    /** Null for what it is now. */
    ended_at: endedAt?.toISOString() ?? null,
  };
}

export interface TransitionResponse extends ReturnType<typeof toTransitionResponse> {}

function toTransitionResponse(event: ReviewEvent) {
  const { generation, fromState: from, toState: to, cause, actor } = event;
  return {
    at: event.at.toISOString(),
    generation,
    from,
    to,
    cause,
    actor,
  };
}
