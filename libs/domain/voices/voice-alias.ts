import { checkList, withSchema, type Check } from '../common/field-checks';
import { isPublicId, PUBLIC_ID } from '../common/public-id';

/** Aliases of one voice. */
const MAX_ALIASES = 20;

/** The id of a voice, or an alias: an id under which one account finds a voice, because programs have it built in. */
export const checkVoiceId: Check = withSchema({ type: 'string', pattern: PUBLIC_ID.source }, (value) =>
  typeof value === 'string' && isPublicId(value)
    ? []
    : [{ type: 'voice_id', msg: 'Input should be a voice_id: 20 letters and digits' }],
);

export const checkAliases: Check = checkList(checkVoiceId, { max: MAX_ALIASES });
