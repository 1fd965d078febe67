import type { VoiceSample } from '@app/database/voices/voice-sample.entity';
import { categoryOf, samplesOf, type Voice, type VoiceCategory } from '@app/database/voices/voice.entity';
import {
  labellingStatusOf,
  type LabellingStatus,
  type RecordingGrade,
} from '@app/domain/reviews/review-state';
import { TIER_NAMES } from '@app/domain/accounts/tiers';
import { safetyControlOf, type SafetyControl } from '@app/domain/voices/voice-safety';
import { DEFAULT_VOICE_SETTINGS, type VoiceSettings } from '@app/domain/voices/voice-settings';
import { NOT_FINE_TUNED, type FineTuningResponse } from './fine-tuning';

/** A voice in the wire contract's shape: all 26 fields, those that have no meaning here with the value of "none". */
export interface VoiceResponse {
  voice_id: string;
  name: string;
  samples: SampleResponse[];
  category: VoiceCategory;
  fine_tuning: FineTuningResponse;
  labels: Record<string, string>;
  description: string;
  /** Null where it may not be shared: to staff, who listen with a reason, and while staff hold the voice. */
  preview_url: string | null;
  available_for_tiers: string[];
  settings: VoiceSettingsResponse;
  sharing: null;
  high_quality_base_model_ids: string[];
  verified_languages: never[];
  collection_ids: never[];
  /** `CAPTCHA` while staff hold it, `BAN` once they have taken it down: then it neither plays nor speaks. */
  safety_control: SafetyControl | null;
  voice_verification: null;
  permission_on_resource: 'admin';
  is_owner: true;
  is_legacy: false;
  is_mixed: false;
  favorited_at_unix: null;
  created_at_unix: number;
  is_bookmarked: false;
  recording_quality: RecordingGrade | null;
  labelling_status: LabellingStatus;
  recording_quality_reason: string | null;
}

export interface VoiceSettingsResponse {
  stability: number;
  similarity_boost: number;
  style: number;
  use_speaker_boost: boolean;
  speed: number;
}

export interface VoiceSearchResponse {
  voices: VoiceResponse[];
  has_more: boolean;
  total_count: number;
  next_page_token: string | null;
}

interface SampleResponse {
  sample_id: string;
  file_name: string;
  mime_type: string;
  size_bytes: number;
  hash: string;
  duration_secs: number;
  remove_background_noise: false;
  has_isolated_audio: false;
  has_isolated_audio_preview: false;
  speaker_separation: null;
  trim_start: null;
  trim_end: null;
}

export function toVoiceResponse(voice: Voice, previewUrl: string | null): VoiceResponse {
  return {
    voice_id: voice.id,
    name: voice.name,
    samples: samplesOf(voice).map(toSampleResponse),
    category: categoryOf(voice),
    fine_tuning: NOT_FINE_TUNED,
    labels: voice.labels,
    description: voice.description,
    preview_url: voice.safetyState ? null : previewUrl,
    available_for_tiers: [...TIER_NAMES],
    settings: toSettingsResponse(voice.settings ?? DEFAULT_VOICE_SETTINGS),
    sharing: null,
    high_quality_base_model_ids: [],
    verified_languages: [],
    collection_ids: [],
    safety_control: safetyControlOf(voice.safetyState),
    voice_verification: null,
    permission_on_resource: 'admin',
    is_owner: true,
    is_legacy: false,
    is_mixed: false,
    favorited_at_unix: null,
    created_at_unix: Math.floor(voice.createdAt.getTime() / 1_000),
    is_bookmarked: false,
    // A grade stays while the same recordings are reviewed again.
    recording_quality: voice.recordingQuality,
    labelling_status: labellingStatusOf(voice.reviewState),
    recording_quality_reason: voice.recordingQualityReason,
  };
}

export function toSettingsResponse(settings: VoiceSettings): VoiceSettingsResponse {
  return {
    stability: settings.stability,
    similarity_boost: settings.similarityBoost,
    style: settings.style,
    use_speaker_boost: settings.useSpeakerBoost,
    speed: settings.speed,
  };
}

function toSampleResponse(sample: VoiceSample): SampleResponse {
  return {
    sample_id: sample.id,
    file_name: sample.fileName,
    mime_type: sample.mediaType,
    size_bytes: sample.sizeBytes,
    hash: sample.audioDigest,
    duration_secs: sample.durationSecs,
    remove_background_noise: false,
    has_isolated_audio: false,
    has_isolated_audio_preview: false,
    speaker_separation: null,
    trim_start: null,
    trim_end: null,
  };
}
