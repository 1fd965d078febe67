import type { Voice } from '@app/database/voices/voice.entity';
import { DomainError } from '@app/domain/errors';
import { generatePreviewText } from '@app/voice-engine/preview-text';
import { newPublicId } from '@app/domain/common/public-id';
import { seededRandom } from '@app/voice-engine/seeded-random';
import { isSpeakable, type SpokenScripts } from '@app/voice-engine/speakable-text';
import { randomBytes, randomInt } from 'node:crypto';
import { InvalidInput } from '@app/domain/common/invalid-input';
import type { Generation } from './generation';

/** The session that previews belong to, and its round; null for none. */
export interface RequestedSession {
  id: string | null;
  iterationId: string | null;
}

/** The text to speak, as a caller requests it. */
export interface RequestedSpeech {
  description: string;
  text: string | null;
  generateText: boolean;
  seed: number | null;
}

const NO_SESSION: RequestedSession = { id: null, iterationId: null };

/**
 * The seed, and the text that is spoken: a generated one follows the seed, so that the same request stays the same.
 *
 * @param scripts what the engine reads
 */
export function speechOf(requested: RequestedSpeech, scripts: SpokenScripts): { text: string; seed: number } {
  const seed = requested.seed ?? randomInt(2 ** 31);
  return { text: spokenText(requested, seed, scripts), seed };
}

/** Where previews come from: the voice they are a change of, and their session, with a new round unless one is named. */
export function originOf(
  remixed: Pick<Voice, 'id' | 'originVoiceIds'> | null,
  { id, iterationId }: RequestedSession = NO_SESSION,
): Generation['origin'] {
  const newRound = id === null ? null : newPublicId(randomBytes);
  return {
    remixedVoiceId: remixed?.id ?? null,
    originVoiceIds: remixed ? [remixed.id, ...remixed.originVoiceIds] : [],
    remixingSessionId: id,
    remixingSessionIterationId: iterationId ?? newRound,
  };
}

function spokenText(
  { text, generateText, description }: RequestedSpeech,
  seed: number,
  scripts: SpokenScripts,
): string {
  if (text !== null) return checkSpeakable(text, scripts);
  if (generateText) return generatePreviewText(description, seededRandom('text', description, seed));
  throw new DomainError('missing_preview_text', {}, { param: 'text' });
}

function checkSpeakable(text: string, scripts: SpokenScripts): string {
  if (isSpeakable(text, scripts)) return text;
  const msg = 'Value error, the text has nothing in it that can be spoken';
  throw new InvalidInput([{ type: 'value_error', path: ['text'], msg, input: text }]);
}
