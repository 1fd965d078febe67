import { checkInteger, checkList } from '@app/domain/common/field-checks';
import { DomainError } from '@app/domain/errors';
import { BooleanField, CheckedField, EnumField, StringField, checkObject } from '../http/fields';
import { readJson } from '../http/json-text';
import { checkFlag, checkWholeNumber, isTrue } from '../http/query-checks';
import { IGNORING_UNKNOWN_FIELDS } from '../http/validation.pipe';
import { SPEECH_MODEL_IDS } from '@app/domain/voices/model-ids';
import { DEFAULT_SPEECH_MODEL_ID } from '../models/speech-models';
import type { SpeechInput } from './speech';
import type { SocketCredential, SpeechMessage, SpeechSocketOptions } from './speech-message';
import {
  DictionaryLocator,
  SpeechSettingsBody,
  TextToSpeechBody,
  TextToSpeechQuery,
  toSpeechInput,
} from './text-to-speech.dto';

const ABSENT = { optional: true, nullable: true };
const MAX_UINT4 = 4_294_967_295;
/** Characters of a chunk of text. */
const CHUNK = { min: 1, max: 500 };

/** What a socket speaks like. Fields that the configured engine has no use for are checked, and have no effect. */
export class SpeechSocketQuery extends TextToSpeechQuery {
  @EnumField(SPEECH_MODEL_IDS, { optional: true })
  model_id: string = DEFAULT_SPEECH_MODEL_ID;

  @StringField({ optional: true, max: 20 })
  language_code?: string;

  @CheckedField(checkFlag, { optional: true })
  enable_ssml_parsing: string = 'false';

  /** Seconds without a message after which the socket is closed. */
  @CheckedField(checkWholeNumber({ min: 1, max: 180 }), { optional: true })
  inactivity_timeout: string = '20';

  /** Whether to say when which character is spoken. */
  @CheckedField(checkFlag, { optional: true })
  sync_alignment: string = 'false';

  /** Whether each message is a sentence or a phrase, which is spoken at once. */
  @CheckedField(checkFlag, { optional: true })
  auto_mode: string = 'false';

  @EnumField(['auto', 'on', 'off'], { optional: true })
  apply_text_normalization: string = 'auto';

  @CheckedField(checkWholeNumber({ min: 0, max: MAX_UINT4 }), { optional: true })
  seed?: string;

  /** `Bearer` and an API key, for clients that can send no header. */
  @StringField({ optional: true, max: 200 })
  authorization?: string;
}

class GenerationConfig {
  /** How much text there must be before each chunk of it is spoken. Without it, a sentence is spoken once it is complete. */
  @CheckedField(checkList(checkInteger(CHUNK), { max: 50 }), ABSENT)
  chunk_length_schedule?: number[] | null;
}

/** A message of a client. Each kind of the contract is some of these fields. */
class SpeechSocketMessage {
  /** Added to the text of its context. Empty: on a socket with one context the end of it, otherwise nothing. */
  @StringField({ ...ABSENT, verbatim: true })
  text?: string | null;

  /** Of the context that the message opens. */
  @CheckedField(checkObject(SpeechSettingsBody), ABSENT)
  voice_settings?: SpeechSettingsBody | null;

  @CheckedField(checkObject(GenerationConfig), ABSENT)
  generation_config?: GenerationConfig | null;

  @CheckedField(checkList(checkObject(DictionaryLocator), { max: 3 }), ABSENT)
  pronunciation_dictionary_locators?: DictionaryLocator[] | null;

  /** In the first message, when the handshake carried no credential. */
  @StringField({ ...ABSENT, max: 200 })
  xi_api_key?: string | null;

  @StringField({ ...ABSENT, max: 200 })
  'xi-api-key'?: string | null;

  @StringField({ ...ABSENT, max: 200 })
  authorization?: string | null;

  @StringField({ ...ABSENT, max: 200 })
  single_use_token?: string | null;

  /** Speaks the text now if there is enough of it. */
  @BooleanField(ABSENT)
  try_trigger_generation?: boolean | null;

  /** Speaks all of the text now. */
  @BooleanField(ABSENT)
  flush?: boolean | null;

  @StringField({ ...ABSENT, min: 1, max: 200 })
  context_id?: string | null;

  @BooleanField(ABSENT)
  close_context?: boolean | null;

  @BooleanField(ABSENT)
  close_socket?: boolean | null;
}

export function toSocketOptions(
  query: SpeechSocketQuery,
  { voiceId, isMulti }: Pick<SpeechSocketOptions, 'voiceId' | 'isMulti'>,
): SpeechSocketOptions {
  return {
    voiceId,
    isMulti,
    isAutomatic: isTrue(query.auto_mode),
    timeoutMs: Number(query.inactivity_timeout) * 1_000,
    input: toInput(query, null),
    credential: toCredential(query),
    readMessage: (data, isBinary) => toMessage(readMessage(data, isBinary), query),
  };
}

function readMessage(data: Buffer, isBinary: boolean): SpeechSocketMessage {
  if (isBinary) throw new DomainError('malformed_json', { reason: 'it is a binary message; send text' });
  let value: unknown;
  try {
    value = readJson(data.toString());
  } catch (error) {
    throw new DomainError('malformed_json', { reason: (error as SyntaxError).message });
  }
  const metadata = { type: 'body', metatype: SpeechSocketMessage } as const;
  return IGNORING_UNKNOWN_FIELDS.transform(value, metadata) as SpeechSocketMessage;
}

function toMessage(message: SpeechSocketMessage, query: SpeechSocketQuery): SpeechMessage {
  const { voice_settings: settings, try_trigger_generation: isTriggered } = message;
  return {
    text: message.text ?? null,
    contextId: message.context_id ?? null,
    settings: settings ? toInput(query, settings).settings : null,
    schedule: message.generation_config?.chunk_length_schedule ?? null,
    speak: message.flush ? 'all' : isTriggered ? 'trigger' : 'ready',
    closesContext: message.close_context ?? false,
    closesSocket: message.close_socket ?? false,
    credential: toCredential({ ...message, xi_api_key: message.xi_api_key ?? message['xi-api-key'] }),
  };
}

/** A bearer is the key: a page cannot set headers. */
function toCredential({
  xi_api_key: input,
  authorization,
  single_use_token: token,
}: Pick<SpeechSocketMessage, 'xi_api_key' | 'authorization' | 'single_use_token'>): SocketCredential | null {
  const key = input ?? authorization?.replace(/^bearer\s+/i, '');
  if (key) return { key };
  return token ? { token } : null;
}

/** @throws DomainError `invalid_voice_settings` */
function toInput(query: SpeechSocketQuery, settings: SpeechSettingsBody | null): Omit<SpeechInput, 'text'> {
  const { model_id } = query;
  const body = Object.assign(new TextToSpeechBody(), { text: '', model_id, voice_settings: settings });
  return toSpeechInput(body, query, { timed: isTrue(query.sync_alignment) });
}
