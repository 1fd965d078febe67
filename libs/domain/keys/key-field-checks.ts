import { MAX_ALLOW_LIST_ENTRIES, parseAllowList } from '../allow-lists/allow-list';
import { parsePermissions, PERMISSIONS } from './permissions';
import { MODEL_IDS } from '../voices/model-ids';
import { checkVoiceId } from '../voices/voice-alias';
import {
  checkEnum,
  checkInteger,
  checkList,
  checkString,
  withSchema,
  type Check,
  type Finding,
} from '../common/field-checks';
import type { JsonSchema } from '../common/json-schema';
import { InvalidInput } from '../common/invalid-input';

const MAX_PERMISSIONS = 200;

const checkNames = checkList(checkString({ max: 100 }), { max: MAX_PERMISSIONS });
const checkTexts = checkList(checkString({ max: 100 }), { max: 1_000 });

const PERMISSIONS_SCHEMA: JsonSchema = {
  anyOf: [
    { type: 'string', const: 'all' },
    { type: 'array', items: { type: 'string', enum: [...PERMISSIONS] }, maxItems: MAX_PERMISSIONS },
  ],
};

/** `"all"`, or a list of permission names. */
export const checkPermissions: Check = withSchema(PERMISSIONS_SCHEMA, (value) => {
  if (value === 'all') return [];
  if (typeof value === 'string') {
    return [{ type: 'list_type', msg: `Input should be a list of permissions or 'all'` }];
  }
  const malformed = checkNames(value);
  if (malformed.length > 0) return malformed;
  const parsed = parsePermissions(value as string[]);
  if (parsed.ok) return [];
  return parsed.problems.map(({ index, input, suggestion, message }) => ({
    type: 'enum',
    msg: message,
    ctx: { expected: suggestion ?? 'the name of a permission' },
    path: [index],
    input,
  }));
});

const ALLOWED_IPS_SCHEMA: JsonSchema = {
  type: 'array',
  items: { type: 'string', maxLength: 100, examples: ['203.0.113.0/24'] },
  minItems: 1,
  maxItems: MAX_ALLOW_LIST_ENTRIES,
};

/** A list of 1 to 100 addresses and CIDRs. */
export const checkAllowedIps: Check = withSchema(ALLOWED_IPS_SCHEMA, (value) => {
  const malformed = checkTexts(value);
  if (malformed.length > 0) return malformed;
  return parseAllowList(value as string[]).problems.map(
    ({ index, code, given, suggestion, message }): Finding => ({
      type: code,
      msg: message,
      ...(suggestion !== undefined && { ctx: { expected: suggestion } }),
      ...(index !== null && { path: [index], input: given }),
    }),
  );
});

const MAX_VOICES = 200;

/** Ids of models, or of voices; a list of none would let the key do nothing. */
const checkIds = (item: Check, max: number): Check => {
  const checkItems = checkList(item, { max });
  return withSchema({ ...checkItems.schema, minItems: 1 }, (value) =>
    Array.isArray(value) && value.length === 0
      ? [{ type: 'too_short', msg: 'List should have at least 1 item, or be null for all' }]
      : checkItems(value),
  );
};

/** A list of models. */
export const checkModels = checkIds(checkEnum(MODEL_IDS), MODEL_IDS.length);

/** A list of 1 to 200 voices: their ids, not aliases of them. */
export const checkVoices = checkIds(checkVoiceId, MAX_VOICES);

/** A whole number of credits. */
export const checkCredits = checkInteger({ min: 0, max: Number.MAX_SAFE_INTEGER });

/**
 * Permissions as they are stored: known names in the order of the table, or null for all.
 *
 * @throws InvalidInput
 */
export function storedPermissions(input: readonly string[] | 'all'): string[] | null {
  requireValid('permissions', input, checkPermissions);
  const parsed = parsePermissions(input);
  return parsed.ok ? parsed.permissions : [];
}

/**
 * An expiry that is still to come, or none.
 *
 * @throws InvalidInput
 */
export function futureTime(expiresAt: Date | null, now: Date): Date | null {
  if (!expiresAt || expiresAt > now) return expiresAt;
  const accepted = `a time after ${now.toISOString()}, or null for a key that does not expire`;
  throw new InvalidInput([
    {
      type: 'time_in_past',
      path: ['expires_at'],
      msg: `Input should be ${accepted}`,
      input: expiresAt.toISOString(),
      ctx: { accepted },
    },
  ]);
}

/** @throws InvalidInput when a value that did not come through a DTO is not accepted */
export function requireValid(field: string, value: unknown, check: Check): void {
  const problems = check(value).map(({ type, msg, ctx, path = [], input = value }) => ({
    type,
    path: [field, ...path],
    msg,
    input,
    ...(ctx && { ctx }),
  }));
  if (problems.length > 0) throw new InvalidInput(problems);
}
