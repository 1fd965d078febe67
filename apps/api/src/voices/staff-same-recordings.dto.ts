import type { BlockedVoice } from '@app/database/reviews/blocked-recording.repository';
import type { OtherVoice } from '@app/database/reviews/other-voice';
import type { LookAlike } from '@app/database/reviews/recording-fingerprint.repository';
import type { SoundAlike } from '@app/database/reviews/recording-speaker.repository';
import { choose } from '../http/choose';
import type { SameRecordingsOfVoice } from './same-recordings.service';
import type { SameSpeakerOfVoice } from './same-speaker.service';

export interface SameRecordingsResponse extends ReturnType<typeof toSameRecordingsResponse> {}

export function toSameRecordingsResponse(found: SameRecordingsOfVoice) {
  return {
    items: found.lookAlikes.map(toLookAlikeResponse),
    /** Whether there are more voices than these. */
    has_more: found.hasMore,
    /** Null when the recordings of this voice are not on the no-go list. */
    no_go: found.blocked && toBlockedVoiceResponse(found.blocked),
    /** What of the no-go list this voice has a recording of. */
    no_go_matches: found.blockedMatches.map(toBlockedMatch),
  };
}

export interface SameSpeakerResponse extends ReturnType<typeof toSameSpeakerResponse> {}

export function toSameSpeakerResponse(found: SameSpeakerOfVoice) {
  return {
    /** Of the account of this voice first, then of all; each with the most alike first. */
    items: found.voices.map(toSoundAlikeResponse),
    /** Whether there are more voices than these. */
    has_more: found.hasMore,
    /** Models of speakers that have heard this voice; none without a model, or since one was configured. */
    models: found.models,
    /** The least cosine of recordings that count as of the same speaker (`SAME_SPEAKER_COSINE`). */
    threshold: found.threshold,
    /** False when the voices of other accounts could not be compared in time. */
    is_complete: found.isComplete,
  };
}

export interface OtherVoiceResponse extends ReturnType<typeof toOtherVoiceResponse> {}

function toOtherVoiceResponse(found: OtherVoice) {
  return {
    ...choose(found, 'voiceId', 'name'),
    account: { id: found.accountId, name: found.accountName },
    created_at: found.createdAt.toISOString(),
    /** The recording of this voice, and that of the other one. */
    sample_id: found.sampleId,
    other_sample_id: found.otherSampleId,
  };
}

export interface SoundAlikeResponse extends ReturnType<typeof toSoundAlikeResponse> {}

function toSoundAlikeResponse(found: SoundAlike) {
  return {
    ...toOtherVoiceResponse(found),
    /** Cosine of the vectors of the two recordings. */
    cosine: Math.round(found.cosine * 1_000) / 1_000,
  };
}

export interface LookAlikeResponse extends ReturnType<typeof toLookAlikeResponse> {}

function toLookAlikeResponse(found: LookAlike) {
  return {
    ...toOtherVoiceResponse(found),
    /** The same bytes. */
    identical: found.isIdentical,
    /** Share of the fingerprint that agrees, above 0.65; unrelated recordings agree by about 0.5. */
    agreement: agreementOf(found.bitErrorRate),
  };
}

export interface BlockedVoiceResponse extends ReturnType<typeof toBlockedVoiceResponse> {}

export function toBlockedVoiceResponse(listed: BlockedVoice) {
  return {
    voice_id: listed.voiceId,
    name: listed.voiceName,
    ...choose(listed, 'accountId', 'recordings', 'reason', 'setBy', 'setAt'),
    /** Voices that were found to have one of its recordings. */
    matches: listed.matches,
  };
}

export interface BlockedMatchResponse extends ReturnType<typeof toBlockedMatch> {}

function toBlockedMatch(match: SameRecordingsOfVoice['blockedMatches'][number]) {
  return {
    voice_id: match.voiceId,
    name: match.voiceName,
    reason: match.reason,
    agreement: agreementOf(match.bitErrorRate),
    found_at: match.foundAt.toISOString(),
  };
}

function agreementOf(bitErrorRate: number): number {
  return Math.round((1 - bitErrorRate) * 1_000) / 1_000;
}
