import { checkList, withSchema, type Check } from '../common/field-checks';

const OPERATION = /^[a-z0-9][a-z0-9_.:-]{0,63}$/;

/** What credits are charged for, as the ledger and the usage name it, such as `text_to_speech`. */
export const checkOperation: Check = withSchema({ type: 'string', pattern: OPERATION.source }, (value) =>
  typeof value === 'string' && OPERATION.test(value)
    ? []
    : [
        {
          type: 'string_pattern_mismatch',
          msg: 'Input should be 1 to 64 lower-case letters, digits, dots, colons, hyphens and underscores',
          ctx: { pattern: OPERATION.source },
        },
      ],
);

/** So many operations a budget names at the most. */
export const MAX_OPERATIONS = 20;

const checkSome = checkList(checkOperation, { max: MAX_OPERATIONS });

/** A list of one operation or more. */
export const checkOperations: Check = withSchema({ ...checkSome.schema, minItems: 1 }, (value) =>
  Array.isArray(value) && value.length === 0
    ? [{ type: 'too_short', msg: 'List should have at least 1 item; leave it out for all operations' }]
    : checkSome(value),
);

/** Operations as they are stored: each once, in order; null for all. */
export function canonicalOperations(input: readonly string[] | null | undefined): string[] | null {
  return input ? [...new Set(input)].sort() : null;
}
