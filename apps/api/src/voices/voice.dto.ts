import type { VoiceSample } from '@app/database/voices/voice-sample.entity';
import { categoryOf, samplesOf, type Voice } from '@app/database/voices/voice.entity';
import { labellingStatusOf } from '@app/domain/reviews/review-state';
import { TIER_NAMES } from '@app/domain/accounts/tiers';
import { safetyControlOf } from '@app/domain/voices/voice-safety';
import { DEFAULT_VOICE_SETTINGS, type VoiceSettings } from '@app/domain/voices/voice-settings';
import { choose } from '../http/choose';
import { NOT_FINE_TUNED, type FineTuningResponse } from './fine-tuning';

export interface VoiceSearchResponse {
  voices: VoiceResponse[];
  has_more: boolean;
  total_count: number;
  next_page_token: string | null;
}

/** A voice in the wire contract's shape: all 26 fields, those that have no meaning here with the value of "none". */
export interface VoiceResponse extends ReturnType<typeof toVoiceResponse> {}

export function toVoiceResponse(voice: Voice, previewUrl: string | null) {
  return {
    voice_id: voice.id,
    name: voice.name,
    samples: samplesOf(voice).map(toSampleResponse),
    category: categoryOf(voice),
    fine_tuning: NOT_FINE_TUNED as FineTuningResponse,
    ...choose(voice, 'labels', 'description'),
    /** Null where it may not be shared: to staff, who listen with a reason, and while staff hold the voice. */
    preview_url: voice.safetyState ? null : previewUrl,
    available_for_tiers: [...TIER_NAMES] as string[],
    settings: toSettingsResponse(voice.settings ?? DEFAULT_VOICE_SETTINGS),
    sharing: null,
    high_quality_base_model_ids: [] as string[],
    verified_languages: [],
    collection_ids: [],
    /** `CAPTCHA` while staff hold it, `BAN` once they have taken it down: then it neither plays nor speaks. */
    safety_control: safetyControlOf(voice.safetyState),
    voice_verification: null,
    permission_on_resource: 'admin' as const,
    is_owner: true as const,
    is_legacy: false as const,
    is_mixed: false as const,
    favorited_at_unix: null,
    created_at_unix: Math.floor(voice.createdAt.getTime() / 1_000),
    is_bookmarked: false as const,
    // A grade stays while the same recordings are reviewed again.
    recording_quality: voice.recordingQuality,
    labelling_status: labellingStatusOf(voice.reviewState),
    recording_quality_reason: voice.recordingQualityReason,
  };
}

export interface VoiceSettingsResponse extends ReturnType<typeof toSettingsResponse> {}

export function toSettingsResponse(settings: VoiceSettings) {
  return {
    ...choose(settings, 'stability', 'similarityBoost', 'style', 'useSpeakerBoost', 'speed'),
  };
}

export interface SampleResponse extends ReturnType<typeof toSampleResponse> {}

function toSampleResponse(sample: VoiceSample) {
  return {
    sample_id: sample.id,
    file_name: sample.fileName,
    mime_type: sample.mediaType,
    size_bytes: sample.sizeBytes,
    hash: sample.audioDigest,
    duration_secs: sample.durationSecs,
    remove_background_noise: false as const,
    has_isolated_audio: false as const,
    has_isolated_audio_preview: false as const,
    speaker_separation: null,
    trim_start: null,
    trim_end: null,
  };
}
