import { checkEnum, withSchema, type Check } from '@app/domain/common/field-checks';

export { checkTime } from '@app/domain/common/field-checks';

/** One of some words, or a value that passes a check. */
export function checkWordOr(words: readonly string[], check: Check): Check {
  const schema = check.schema && { anyOf: [checkEnum(words).schema!, check.schema] };
  const checkEither: Check = (value) =>
    typeof value === 'string' && words.includes(value) ? [] : check(value);
  return schema ? withSchema(schema, checkEither) : checkEither;
}
