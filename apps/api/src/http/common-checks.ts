import { checkEnum, withSchema, type Check } from '@app/domain/common/field-checks';
import type { JsonSchema } from '@app/domain/common/json-schema';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2}))?$/;

const TIME_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: ISO_TIME.source,
  examples: ['2030-01-31T12:00:00Z'],
};

/** A date, or a time with its zone, as ISO 8601. */
export const checkTime: Check = withSchema(TIME_SCHEMA, (value) => {
  if (typeof value === 'string' && ISO_TIME.test(value) && !Number.isNaN(Date.parse(value))) return [];
  const expected = 'a date such as 2030-01-31 or a time such as 2030-01-31T12:00:00Z';
  return [{ type: 'datetime_parsing', msg: `Input should be ${expected}`, ctx: { expected } }];
});

/** One of some words, or a value that passes a check. */
export function checkWordOr(words: readonly string[], check: Check): Check {
  const schema = check.schema && { anyOf: [checkEnum(words).schema!, check.schema] };
  const checkEither: Check = (value) =>
    typeof value === 'string' && words.includes(value) ? [] : check(value);
  return schema ? withSchema(schema, checkEither) : checkEither;
}
