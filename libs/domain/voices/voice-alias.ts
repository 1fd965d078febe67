import { checkList, withSchema, type Check } from '../common/field-checks';
import { isPublicId, PUBLIC_ID } from '../common/public-id';

/** Aliases of one voice. */
const MAX_ALIASES = 20;

/** An id under which one account finds a voice, beside that of the voice: programs have such ids built in. */
export const checkAlias: Check = withSchema({ type: 'string', pattern: PUBLIC_ID.source }, (value) =>
  typeof value === 'string' && isPublicId(value)
    ? []
    : [{ type: 'voice_id', msg: 'Input should be a voice_id: 20 letters and digits' }],
);

export const checkAliases: Check = checkList(checkAlias, { max: MAX_ALIASES });

/** Aliases as they are stored: each once, in order. */
export function canonicalAliases(input: readonly string[]): string[] {
  return [...new Set(input)].sort();
}
