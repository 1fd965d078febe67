import type { BlockedVoice } from '@app/database/reviews/blocked-recording.repository';
import type { OtherVoice } from '@app/database/reviews/other-voice';
import type { LookAlike } from '@app/database/reviews/recording-fingerprint.repository';
import type { SoundAlike } from '@app/database/reviews/recording-speaker.repository';
import type { SameRecordingsOfVoice } from './same-recordings.service';
import type { SameSpeakerOfVoice } from './same-speaker.service';

export interface SameRecordingsResponse {
  items: LookAlikeResponse[];
  /** Whether there are more voices than these. */
  has_more: boolean;
  /** Null when the recordings of this voice are not on the no-go list. */
  no_go: BlockedVoiceResponse | null;
  /** What of the no-go list this voice has a recording of. */
  no_go_matches: BlockedMatchResponse[];
}

interface OtherVoiceResponse {
  voice_id: string;
  name: string;
  account: { id: string; name: string | null };
  created_at: string;
  /** The recording of this voice, and that of the other one. */
  sample_id: string;
  other_sample_id: string;
}

interface LookAlikeResponse extends OtherVoiceResponse {
  /** The same bytes. */
  identical: boolean;
  /** Share of the fingerprint that agrees, above 0.65; unrelated recordings agree by about 0.5. */
  agreement: number;
}

export interface SameSpeakerResponse {
  /** Of the account of this voice first, then of all; each with the most alike first. */
  items: SoundAlikeResponse[];
  /** Whether there are more voices than these. */
  has_more: boolean;
  /** Models of speakers that have heard this voice; none without a model, or since one was configured. */
  models: string[];
  /** The least cosine of recordings that count as of the same speaker (`SAME_SPEAKER_COSINE`). */
  threshold: number;
  /** False when the voices of other accounts could not be compared in time. */
  is_complete: boolean;
}

interface SoundAlikeResponse extends OtherVoiceResponse {
  /** Cosine of the vectors of the two recordings. */
  cosine: number;
}

export interface BlockedVoiceResponse {
  voice_id: string;
  name: string;
  account_id: string;
  recordings: number;
  reason: string;
  set_by: string;
  set_at: string;
  /** Voices that were found to have one of its recordings. */
  matches: number;
}

interface BlockedMatchResponse {
  voice_id: string;
  name: string;
  reason: string;
  agreement: number;
  found_at: string;
}

export function toSameRecordingsResponse(found: SameRecordingsOfVoice): SameRecordingsResponse {
  return {
    items: found.lookAlikes.map(toLookAlikeResponse),
    has_more: found.hasMore,
    no_go: found.blocked && toBlockedVoiceResponse(found.blocked),
    no_go_matches: found.blockedMatches.map((match) => ({
      voice_id: match.voiceId,
      name: match.voiceName,
      reason: match.reason,
      agreement: agreementOf(match.bitErrorRate),
      found_at: match.foundAt.toISOString(),
    })),
  };
}

export function toSameSpeakerResponse(found: SameSpeakerOfVoice): SameSpeakerResponse {
  return {
    items: found.voices.map(toSoundAlikeResponse),
    has_more: found.hasMore,
    models: found.models,
    threshold: found.threshold,
    is_complete: found.isComplete,
  };
}

function toOtherVoiceResponse(found: OtherVoice): OtherVoiceResponse {
  return {
    voice_id: found.voiceId,
    name: found.name,
    account: { id: found.accountId, name: found.accountName },
    created_at: found.createdAt.toISOString(),
    sample_id: found.sampleId,
    other_sample_id: found.otherSampleId,
  };
}

function toSoundAlikeResponse(found: SoundAlike): SoundAlikeResponse {
  return {
    ...toOtherVoiceResponse(found),
    cosine: Math.round(found.cosine * 1_000) / 1_000,
  };
}

function toLookAlikeResponse(found: LookAlike): LookAlikeResponse {
  return {
    ...toOtherVoiceResponse(found),
    identical: found.isIdentical,
    agreement: agreementOf(found.bitErrorRate),
  };
}

export function toBlockedVoiceResponse(listed: BlockedVoice): BlockedVoiceResponse {
  return {
    voice_id: listed.voiceId,
    name: listed.voiceName,
    account_id: listed.accountId,
    recordings: listed.recordings,
    reason: listed.reason,
    set_by: listed.setBy,
    set_at: listed.setAt.toISOString(),
    matches: listed.matches,
  };
}

function agreementOf(bitErrorRate: number): number {
  return Math.round((1 - bitErrorRate) * 1_000) / 1_000;
}
