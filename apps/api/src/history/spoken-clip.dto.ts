import type { FoundItem, SpokenHere } from '@app/administration/voices/spoken-clips.service';
import { choose } from '../http/choose';
import { checkBase64, CheckedField } from '../http/fields';
import { ReasonBody } from '../http/reason';

export class SpokenClipBody extends ReasonBody {
  /** The file: whatever recordings of voices may be. */
  @CheckedField(checkBase64)
  audio_base64: string;
}

export interface SpokenHereResponse extends ReturnType<typeof toSpokenHereResponse> {}

export function toSpokenHereResponse({ items, waiting }: SpokenHere) {
  return {
    /** The most alike first, up to 20. */
    items: items.map(toFoundItemResponse),
    /** Items of the history whose sound is not known yet: a clip of those is not found. */
    waiting,
  };
}

export interface FoundItemResponse extends ReturnType<typeof toFoundItemResponse> {}

function toFoundItemResponse(found: FoundItem) {
  return {
    history_item_id: found.id,
    account: { id: found.accountId, name: found.accountName },
    ...choose(found, 'voiceId', 'voiceName', 'text'),
    spoken_at: found.spokenAt.toISOString(),
    /** Share of the fingerprint that agrees, above 0.72; unrelated recordings agree by about 0.5. */
    agreement: Math.round((1 - found.bitErrorRate) * 1_000) / 1_000,
    /** Seconds of sound that were compared. */
    compared_secs: Math.round(found.comparedSecs * 10) / 10,
  };
}
