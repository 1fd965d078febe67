import type { PreviewPreference } from '@app/database/voices/preview-preference.entity';
import type { AgedPreview } from '@app/database/voices/preview.repository';
import { StringField } from '../http/fields';

export class PreferenceQuery {
  /** Only those of this account. */
  @StringField({ optional: true, max: 36 })
  account_id?: string;
}

export interface PreviewResponse {
  generated_voice_id: string;
  description: string;
  text: string;
  engine: string;
  /** What the engine understood of the description, and what not. */
  understood: Record<string, unknown>;
  language: string;
  duration_secs: number;
  created_at: string;
  expires_at: string;
  /** Until when it can become a voice; its audio is deleted within two hours after that. */
  seconds_left: number;
  /** The voice it became: then its audio stays as long as the voice. */
  voice_id: string | null;
}

export function toPreviewResponse({ preview, secondsLeft }: AgedPreview): PreviewResponse {
  return {
    generated_voice_id: preview.id,
    description: preview.description,
    text: preview.text,
    engine: preview.engine,
    understood: { ...preview.understood },
    language: preview.language,
    duration_secs: preview.durationSecs,
    created_at: preview.createdAt.toISOString(),
    expires_at: preview.expiresAt.toISOString(),
    seconds_left: secondsLeft,
    voice_id: preview.voiceId,
  };
}

/** One line for each pair: the description, and the parameters that speak again with what was chosen and what was not. */
export async function* toPreferenceLines(pairs: AsyncIterable<PreviewPreference>): AsyncGenerator<string> {
  for await (const pair of pairs) {
    const line = {
      description: pair.description,
      text: pair.text,
      engine: pair.engine,
      chosen: { generated_voice_id: pair.chosenPreviewId, parameters: pair.chosenSpec },
      rejected: { generated_voice_id: pair.rejectedPreviewId, parameters: pair.rejectedSpec },
      voice_id: pair.voiceId,
      account_id: pair.accountId,
      created_at: pair.createdAt.toISOString(),
    };
    yield `${JSON.stringify(line)}\n`;
  }
}
