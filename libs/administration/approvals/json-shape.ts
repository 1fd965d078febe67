/** Whether a value that was JSON has a shape. */
export type Check = (value: unknown) => boolean;

export const text: Check = (value) => typeof value === 'string';
export const number: Check = (value) => typeof value === 'number';
export const boolean: Check = (value) => typeof value === 'boolean';
export const isAny: Check = () => true;
export const isNull: Check = (value) => value === null;

export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

export const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

export const anyOf =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** Fields that are not named may be there. */
export const object =
  (fields: Record<string, Check>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(fields).every(([name, check]) => check((value as Record<string, unknown>)[name]));

/** What is stored of a setting, by the kind that its table of fields has. What a release before did not know is left out. */
export const OF_FIELD = {
  name: optional(text),
  tier: optional(text),
  tags: optional(listOf(text)),
  text: optional(nullable(text)),
  count: optional(nullable(number)),
  permissions: optional(nullable(listOf(text))),
  flag: optional(nullable(boolean)),
};

/** A time as ISO 8601 text; null for never. */
export const time = optional(
  nullable((value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))),
);
