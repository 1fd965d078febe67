import type { RequestedVoice } from './create-voice.service';
import { StringField, StringListField, StringMapField } from '../http/fields';

export class CreateVoiceBody {
  @StringField({ min: 1, max: 500 })
  voice_name: string;

  @StringField({ min: 20, max: 1_000, verbatim: true })
  voice_description: string;

  @StringField({ max: 200 })
  generated_voice_id: string;

  @StringMapField({ maxPairs: 50, maxKey: 100, maxValue: 500, optional: true, nullable: true })
  labels: Record<string, string> | null = null;

  @StringListField({ maxItems: 100, maxLength: 200, optional: true, nullable: true })
  played_not_selected_voice_ids: string[] | null = null;
}

export function toRequestedVoice(body: CreateVoiceBody): RequestedVoice {
  return {
    name: body.voice_name,
    description: body.voice_description,
    generatedVoiceId: body.generated_voice_id,
    labels: body.labels ?? {},
    rejectedIds: body.played_not_selected_voice_ids ?? [],
  };
}
