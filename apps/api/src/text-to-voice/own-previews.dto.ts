import type { AgedPreview } from '@app/database/voices/preview.repository';

/** The previews of the key that calls, newest first. */
export interface OwnPreviewsResponse {
  previews: OwnPreviewResponse[];
}

interface OwnPreviewResponse {
  generated_voice_id: string;
  voice_description: string;
  text: string;
  language: string;
  /** 0 while it is still being spoken. */
  duration_secs: number;
  created_at_unix: number;
  /** When it can no longer become a voice. */
  expires_at_unix: number;
  /** The request that paid for it: `x-request-id` of its response. */
  request_id: string;
  /** The voice it became. */
  voice_id: string | null;
}

export function toOwnPreview({ preview }: AgedPreview): OwnPreviewResponse {
  return {
    generated_voice_id: preview.id,
    voice_description: preview.description,
    text: preview.text,
    language: preview.language,
    duration_secs: preview.durationSecs,
    created_at_unix: toUnix(preview.createdAt),
    expires_at_unix: toUnix(preview.expiresAt),
    request_id: preview.requestId,
    voice_id: preview.voiceId,
  };
}

const toUnix = (time: Date) => Math.floor(time.getTime() / 1_000);
