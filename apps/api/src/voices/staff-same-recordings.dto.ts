import type { NoGoVoice } from '@app/database/reviews/no-go.repository';
import type { LookAlike } from '@app/database/reviews/recording-fingerprint.repository';
import type { SameRecordingsOfVoice } from './same-recordings.service';

export interface SameRecordingsResponse {
  items: LookAlikeResponse[];
  /** Whether there are more voices than these. */
  has_more: boolean;
  /** Null when the recordings of this voice are not on the no-go list. */
  no_go: NoGoVoiceResponse | null;
  /** What of the no-go list this voice has a recording of. */
  no_go_matches: NoGoMatchResponse[];
}

interface LookAlikeResponse {
  voice_id: string;
  name: string;
  account: { id: string; name: string | null };
  created_at: string;
  /** The recording of this voice, and that of the other one. */
  sample_id: string;
  other_sample_id: string;
  /** The same bytes. */
  identical: boolean;
  /** Share of the fingerprint that agrees, above 0.65; unrelated recordings agree by about 0.5. */
  agreement: number;
}

export interface NoGoVoiceResponse {
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

interface NoGoMatchResponse {
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
    no_go: found.noGo && toNoGoVoiceResponse(found.noGo),
    no_go_matches: found.noGoMatches.map((match) => ({
      voice_id: match.voiceId,
      name: match.voiceName,
      reason: match.reason,
      agreement: agreementOf(match.bitErrorRate),
      found_at: match.foundAt.toISOString(),
    })),
  };
}

function toLookAlikeResponse(found: LookAlike): LookAlikeResponse {
  return {
    voice_id: found.voiceId,
    name: found.name,
    account: { id: found.accountId, name: found.accountName },
    created_at: found.createdAt.toISOString(),
    sample_id: found.sampleId,
    other_sample_id: found.otherSampleId,
    identical: found.isIdentical,
    agreement: agreementOf(found.bitErrorRate),
  };
}

export function toNoGoVoiceResponse(listed: NoGoVoice): NoGoVoiceResponse {
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
