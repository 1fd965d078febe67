import type { VoicePatch } from '@app/database/voices/voice-change.repository';
import { SPEED, type VoiceSettingsEdit } from '@app/domain/voices/voice-settings';
import { checkStringMap, withSchema, type Check } from '@app/domain/common/field-checks';
import type { AddedVoice } from './add-voice.service';
import { FilesField } from '../http/form';
import { checkFlag } from '../http/query-checks';
import { BooleanField, CheckedField, NumberField, StringField } from '../http/fields';
import type { JsonSchema } from '@app/domain/common/json-schema';
import { readJson } from '../http/json-text';
import { findUnstorableText } from '../http/unstorable-text';

const SHARE = { min: 0, max: 1, optional: true, nullable: true };
const checkLabels = checkStringMap({ maxPairs: 50, maxKey: 100, maxValue: 500 });

const LABELS_SCHEMA: JsonSchema = {
  type: 'string',
  contentMediaType: 'application/json',
  examples: ['{"accent": "irish"}'],
};

/** Labels in a form: a text that is JSON. The Python client of version 2.59 sends `null` for none. */
const checkLabelsText: Check = withSchema(LABELS_SCHEMA, (value) => {
  if (typeof value !== 'string') return [{ type: 'string_type', msg: 'Input should be a valid string' }];
  const labels = readLabels(value);
  if (labels === null) return [];
  if (labels === undefined) {
    return [
      {
        type: 'json_invalid',
        msg: 'Input should be a JSON object of texts, for example {"accent": "irish"}',
      },
    ];
  }
  const unstorable = findUnstorableText(labels);
  return unstorable.length > 0 ? unstorable : checkLabels(labels);
});

class VoiceFormFields {
  @StringField({ min: 1, max: 500 })
  name: string;

  @StringField({ max: 1_000, optional: true })
  description?: string;

  /** JSON, for example `{"accent": "irish"}`. */
  @CheckedField(checkLabelsText, { optional: true })
  labels?: string;

  /** Has no effect: recordings are stored as they are. */
  @CheckedField(checkFlag, { optional: true })
  remove_background_noise?: string;
}

/** A form with recordings of a voice. */
export class AddVoiceBody extends VoiceFormFields {
  @FilesField()
  files: string[];
}

/** A form. What it does not name stays as it is; recordings are added to those of the voice. */
export class EditVoiceBody extends VoiceFormFields {
  @FilesField({ optional: true })
  files?: string[];
}

/** The settings that are bounded by their form alone. */
export class VoiceSettingsFields {
  @NumberField(SHARE)
  stability?: number | null;

  @NumberField(SHARE)
  similarity_boost?: number | null;

  @BooleanField({ optional: true, nullable: true })
  use_speaker_boost?: boolean | null;
}

export class VoiceSettingsBody extends VoiceSettingsFields {
  @NumberField(SHARE)
  style?: number | null;

  @NumberField({ ...SPEED, optional: true, nullable: true })
  speed?: number | null;
}

export function toPatch({ name, description, labels }: VoiceFormFields): VoicePatch {
  return {
    name,
    description,
    labels: labels === undefined ? undefined : ((readLabels(labels) ?? undefined) as VoicePatch['labels']),
  };
}

export function toAddedVoice(body: AddVoiceBody): AddedVoice {
  const { description = '', labels = {} } = toPatch(body);
  return { name: body.name, description, labels };
}

export function toSettingsEdit(body: VoiceSettingsBody): VoiceSettingsEdit {
  return {
    stability: body.stability,
    similarityBoost: body.similarity_boost,
    style: body.style,
    useSpeakerBoost: body.use_speaker_boost,
    speed: body.speed,
  };
}

/** What a form says of the labels; a caller who has written them as JSON gets them encoded again by the Python client. */
function readLabels(text: string): unknown {
  const labels = parse(text);
  return typeof labels === 'string' ? parse(labels) : labels;
}

function parse(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
