import type { PreviewPreference } from '@app/database/voices/preview-preference.entity';
import type { AgedPreview } from '@app/database/voices/preview.repository';
import { choose } from '../http/choose';
import { StringField } from '../http/fields';

export class PreferenceQuery {
  /** Only those of this account. */
  @StringField({ optional: true, max: 36 })
  account_id?: string;
}

export interface PreviewResponse extends ReturnType<typeof toPreviewResponse> {}

export function toPreviewResponse({ preview, secondsLeft }: AgedPreview) {
  return {
    generated_voice_id: preview.id,
    ...choose(preview, 'description', 'text', 'engine'),
    /** What the engine understood of the description, and what not. */
    understood: { ...preview.understood } as Record<string, unknown>,
    ...choose(preview, 'language', 'durationSecs', 'createdAt', 'expiresAt'),
    /** Until when it can become a voice; its audio is deleted within two hours after that. */
    seconds_left: secondsLeft,
    /** The voice it became: then its audio stays as long as the voice. */
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
