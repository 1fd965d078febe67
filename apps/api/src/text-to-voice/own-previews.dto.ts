import type { AgedPreview } from '@app/database/voices/preview.repository';
import { choose } from '../http/choose';

/** The previews of the key that calls, newest first. */
export interface OwnPreviewsResponse {
  previews: OwnPreviewResponse[];
}

interface OwnPreviewResponse extends ReturnType<typeof toOwnPreview> {}

export function toOwnPreview({ preview }: AgedPreview) {
  return {
    generated_voice_id: preview.id,
    voice_description: preview.description,
    ...choose(preview, 'text', 'language'),
    /** 0 while it is still being spoken. */
    duration_secs: preview.durationSecs,
    created_at_unix: toUnix(preview.createdAt),
    /** When it can no longer become a voice. */
    expires_at_unix: toUnix(preview.expiresAt),
    /** The request that paid for it: `x-request-id` of its response. */
    request_id: preview.requestId,
    /** The voice it became. */
    voice_id: preview.voiceId,
  };
}

const toUnix = (time: Date) => Math.floor(time.getTime() / 1_000);
