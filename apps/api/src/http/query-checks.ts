import { checkList, checkString, withSchema, type Check } from '@app/domain/common/field-checks';

const TRUE = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const FALSE = new Set(['false', '0', 'no', 'off', 'f', 'n']);

/** A truth value as the wire contract's own server reads it from a query: `true`, `True`, `1`, `yes` … */
export const checkFlag: Check = withSchema({ type: 'boolean' }, (value) =>
  typeof value === 'string' && (TRUE.has(value.toLowerCase()) || FALSE.has(value.toLowerCase()))
    ? []
    : [{ type: 'bool_parsing', msg: 'Input should be a valid boolean: true or false' }],
);

/** The value of a text that `checkFlag` accepts. */
export function isTrue(flag: string): boolean {
  return TRUE.has(flag.toLowerCase());
}

/** A whole number in a query, within bounds, both included. */
export function checkWholeNumber({ min, max }: { min: number; max: number }): Check {
  const accepted = `a whole number from ${min} to ${max}`;
  return withSchema({ type: 'integer', minimum: min, maximum: max }, (value) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? []
      : [{ type: 'int_parsing', msg: `Input should be ${accepted}`, ctx: { accepted } }],
  );
}

/** The end of the year 9999, in milliseconds since 1970. */
export const MAX_UNIX_MS = 253_402_300_799_999;

/** A time in a query, in milliseconds since 1970. */
export const checkUnixMs: Check = checkWholeNumber({ min: 0, max: MAX_UNIX_MS });

export const checkUnixSecs: Check = checkWholeNumber({ min: 0, max: Math.floor(MAX_UNIX_MS / 1_000) });

/** A parameter that may be repeated: one text or a list of them. */
export function checkTextList(bounds: { maxItems: number; maxLength: number }): Check {
  const check = checkList(checkString({ max: bounds.maxLength }), { max: bounds.maxItems });
  return withSchema(check.schema!, (value) => check([value].flat()));
}
