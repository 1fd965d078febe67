import { DomainError } from '@app/domain/errors';
import { generatePreviewText } from '@app/voice-engine/preview-text';
import { newPublicId } from '@app/domain/common/public-id';
import { seededRandom } from '@app/voice-engine/seeded-random';
import { speakableText } from '@app/voice-engine/speakable-text';
import { randomBytes, randomInt } from 'node:crypto';
import { ValidationProblem } from '../http/wire-problem';
import type { Generation } from './generation';

const NO_SESSION = { remixing_session_id: null, remixing_session_iteration_id: null };

type SessionIds = Record<keyof typeof NO_SESSION, string | null>;

/** The seed, and the text that is spoken: a generated one follows the seed, so that the same request stays the same. */
export function speechOf(body: {
  text: string | null;
  auto_generate_text: boolean;
  voice_description: string;
  seed: number | null;
}): { text: string; seed: number } {
  const seed = body.seed ?? randomInt(2 ** 31);
  return { text: spokenText(body, seed), seed };
}

/** Where previews come from: the voice they are a change of, and their session, with a new round unless one is named. */
export function originOf(
  remixedVoiceId: string | null,
  { remixing_session_id, remixing_session_iteration_id }: SessionIds = NO_SESSION,
): Generation['origin'] {
  const newRound = remixing_session_id === null ? null : newPublicId(randomBytes);
  return {
    remixedVoiceId,
    remixingSessionId: remixing_session_id,
    remixingSessionIterationId: remixing_session_iteration_id ?? newRound,
  };
}

function spokenText(
  { text, auto_generate_text, voice_description }: Parameters<typeof speechOf>[0],
  seed: number,
): string {
  if (text !== null) return checkSpeakable(text);
  if (auto_generate_text)
    return generatePreviewText(voice_description, seededRandom('text', voice_description, seed));
  throw new DomainError('missing_preview_text', {}, { param: 'text' });
}

function checkSpeakable(text: string): string {
  if (speakableText(text) !== '') return text;
  const msg = 'Value error, the text has nothing in it that can be spoken';
  throw new ValidationProblem([{ type: 'value_error', loc: ['body', 'text'], msg, input: text }]);
}
