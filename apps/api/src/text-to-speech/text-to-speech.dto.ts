import { SPEECH_MODEL_IDS } from '@app/domain/voices/model-ids';
import { OUTPUT_FORMATS, WHOLE_FORMATS, type OutputFormat } from '@app/audio/codecs/output-format';
import { checkList, checkString } from '@app/domain/common/field-checks';
import { DomainError } from '@app/domain/errors';
import { SPEED } from '@app/domain/voices/voice-settings';
import {
  BooleanField,
  CheckedField,
  EnumField,
  IntegerField,
  NumberField,
  StringField,
  StringListField,
  checkObject,
} from '../http/fields';
import { checkFlag, checkWholeNumber, isTrue } from '../http/query-checks';
import { invalid } from '../http/wire-problem';
import { DEFAULT_SPEECH_MODEL_ID, MAX_SPEECH_CHARACTERS, maxCharactersOf } from '../models/speech-models';
import { toSettingsEdit, VoiceSettingsFields } from '../voices/edit-voice.dto';
import type { SpeechInput } from './speech';

const ABSENT = { optional: true, nullable: true };
const MAX_UINT4 = 4_294_967_295;
const DEFAULT_FORMAT: OutputFormat = 'mp3_44100_128';

export class DictionaryLocator {
  @StringField({ min: 1, max: 200 })
  pronunciation_dictionary_id: string;

  @StringField({ ...ABSENT, max: 200 })
  version_id?: string | null;
}

/** The contract bounds these two by what a voice can do, not by their form. */
export class SpeechSettingsBody extends VoiceSettingsFields {
  @NumberField(ABSENT)
  style?: number | null;

  @NumberField(ABSENT)
  speed?: number | null;
}

class SpeechQuery {
  /** Has no effect: a sentence is sent as soon as it is spoken. */
  @CheckedField(checkWholeNumber({ min: 0, max: 4 }), { optional: true })
  optimize_streaming_latency?: string;

  /** Whether it is stored in the history. */
  @CheckedField(checkFlag, { optional: true })
  enable_logging: string = 'true';
}

/** Of speech that is sent whole. */
export class TextToSpeechQuery extends SpeechQuery {
  @EnumField(WHOLE_FORMATS, { optional: true })
  output_format: OutputFormat = DEFAULT_FORMAT;
}

/** Of speech that is sent while it is spoken. */
export class StreamedSpeechQuery extends SpeechQuery {
  @EnumField(OUTPUT_FORMATS, { optional: true })
  output_format: OutputFormat = DEFAULT_FORMAT;
}

/** What a voice is to say. Fields that the configured engine has no use for are checked, and have no effect. */
export class TextToSpeechBody {
  /** At most as long as the model takes; one credit a character. */
  @StringField({ min: 1, max: MAX_SPEECH_CHARACTERS, verbatim: true })
  text: string;

  /** Every name leads to the configured engine, which the header `x-voice-engine` names. */
  @EnumField(SPEECH_MODEL_IDS, ABSENT)
  model_id: string | null = DEFAULT_SPEECH_MODEL_ID;

  /** Each instead of the one of the voice. `speed` has an effect. */
  @CheckedField(checkObject(SpeechSettingsBody), ABSENT)
  voice_settings: SpeechSettingsBody | null = null;

  @StringField({ ...ABSENT, max: 20 })
  language_code: string | null = null;

  @IntegerField({ ...ABSENT, min: 0, max: MAX_UINT4 })
  seed: number | null = null;

  @StringField({ ...ABSENT, max: MAX_SPEECH_CHARACTERS, verbatim: true })
  previous_text: string | null = null;

  @StringField({ ...ABSENT, max: MAX_SPEECH_CHARACTERS, verbatim: true })
  next_text: string | null = null;

  @StringListField({ ...ABSENT, maxItems: 3, maxLength: 200 })
  previous_request_ids: string[] | null = null;

  @StringListField({ ...ABSENT, maxItems: 3, maxLength: 200 })
  next_request_ids: string[] | null = null;

  @CheckedField(checkList(checkObject(DictionaryLocator), { max: 3 }), ABSENT)
  pronunciation_dictionary_locators: DictionaryLocator[] | null = null;

  @BooleanField(ABSENT)
  use_pvc_as_ivc: boolean | null = null;

  @EnumField(['auto', 'on', 'off'], ABSENT)
  apply_text_normalization: string | null = null;

  @BooleanField(ABSENT)
  apply_language_text_normalization: boolean | null = null;
}

/**
 * @param timed whether to say when which character is spoken
 * @throws ValidationProblem when the text is longer than the model takes; DomainError `invalid_voice_settings`
 */
export function toSpeechInput(
  body: TextToSpeechBody,
  { output_format: format, enable_logging: isStored }: TextToSpeechQuery,
  { timed = false } = {},
): SpeechInput {
  const { text, voice_settings: settings } = body;
  const modelId = body.model_id ?? DEFAULT_SPEECH_MODEL_ID;
  const max = maxCharactersOf(modelId);
  const problems = checkString({ max })(text).map(({ msg, ...problem }) => ({
    ...problem,
    path: ['text'],
    msg: `${msg} for model_id '${modelId}'`,
    input: `${text.slice(0, 100)}…`,
  }));
  if (problems.length > 0) throw invalid('body', ...problems);
  requireSpeed(settings?.speed);
  return {
    text,
    format,
    modelId,
    settings: settings && toSettingsEdit(settings),
    isStored: isTrue(isStored),
    timed,
  };
}

function requireSpeed(speed: number | null | undefined): void {
  if (typeof speed !== 'number' || (speed >= SPEED.min && speed <= SPEED.max)) return;
  const param = 'voice_settings.speed';
  throw new DomainError('invalid_voice_settings', { speed, ...SPEED }, { param });
}
