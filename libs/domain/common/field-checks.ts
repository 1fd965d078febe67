import { orNull, type JsonSchema } from './json-schema';
import { plural } from './sentences';
import { ACCEPTED_TIME, ISO_TIME, readTime } from './times';

/** What is wrong with a value: a 422 entry without its place. `path` leads from the field to the part that is wrong. */
export interface Finding {
  type: string;
  msg: string;
  ctx?: Record<string, unknown>;
  path?: (string | number)[];
  input?: unknown;
}

/** Says what is wrong with a value, and, for the API's description, what is accepted. */
export interface Check {
  (value: unknown): Finding[];
  /** Of the values that are accepted; wider where a rule cannot be said in JSON Schema. */
  schema?: JsonSchema;
  /** The value as a lenient reader takes it: a number, a whole number or a truth value may be written as a text. */
  readLeniently?: (value: unknown) => unknown;
}

/** A check that knows its JSON Schema. */
export function withSchema(
  schema: JsonSchema,
  check: (value: unknown) => Finding[],
  readLeniently?: Check['readLeniently'],
): Check {
  return Object.assign((value: unknown) => check(value), { schema, ...(readLeniently && { readLeniently }) });
}

/** A number as JSON writes it. */
const NUMBER = /^\s*[-+]?\d{1,400}(\.\d{0,400})?(e[-+]?\d{1,3})?\s*$/i;
const TRUTH_VALUES = new Map<unknown, boolean>([
  ...[1, 'true', '1', 'yes', 'on', 't', 'y'].map((value) => [value, true] as const),
  ...[0, 'false', '0', 'no', 'off', 'f', 'n'].map((value) => [value, false] as const),
]);

const readNumber = (value: unknown) =>
  typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
const readTruth = (value: unknown) =>
  TRUTH_VALUES.get(typeof value === 'string' ? value.toLowerCase() : value) ?? value;

const found = (type: string, msg: string, ctx?: Record<string, unknown>): Finding[] => [
  ctx ? { type, msg, ctx } : { type, msg },
];

/** Length as people count it: code points, not UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** At the start and the end of a text. A run is looked at from its first character only: else a long one would take for ever. */
const INVISIBLE =
  /^[\s\u200b-\u200f\u2060\ufeff]+|(?<![\s\u200b-\u200f\u2060\ufeff])[\s\u200b-\u200f\u2060\ufeff]+$/gu;

/** A text. The lower bound counts what can be seen: surrounding white space and zero-width characters do not. */
export function checkString({ min = 0, max }: { min?: number; max?: number }): Check {
  const schema = { type: 'string', ...(min > 0 && { minLength: min }), maxLength: max } as const;
  return withSchema(schema, (value) => {
    if (typeof value !== 'string') return found('string_type', 'Input should be a valid string');
    if (min > 0 && lengthOf(value.replace(INVISIBLE, '')) < min) {
      return found('string_too_short', `String should have at least ${plural(min, 'character')}`, {
        min_length: min,
      });
    }
    // Never more code points than units.
    if (max !== undefined && value.length > max && lengthOf(value) > max) {
      return found('string_too_long', `String should have at most ${plural(max, 'character')}`, {
        max_length: max,
      });
    }
    return [];
  });
}

/** A finite number within bounds, both included. */
export function checkNumber({ min, max }: { min?: number; max?: number }): Check {
  return withSchema(
    { type: 'number', minimum: min, maximum: max },
    (value) => {
      if (typeof value !== 'number' || !Number.isFinite(value)) {
        return found('float_type', 'Input should be a valid number');
      }
      return checkBounds(value, min ?? -Infinity, max ?? Infinity);
    },
    readNumber,
  );
}

/** A whole number within bounds, both included. */
export function checkInteger({ min, max }: { min: number; max: number }): Check {
  return withSchema(
    { type: 'integer', minimum: min, maximum: max },
    (value) => {
      if (typeof value !== 'number') return found('int_type', 'Input should be a valid integer');
      if (!Number.isInteger(value)) {
        return found(
          'int_from_float',
          'Input should be a valid integer, got a number with a fractional part',
        );
      }
      return checkBounds(value, min, max);
    },
    readNumber,
  );
}

function checkBounds(value: number, min: number, max: number): Finding[] {
  if (value < min) {
    return found('greater_than_equal', `Input should be greater than or equal to ${min}`, { ge: min });
  }
  if (value > max)
    return found('less_than_equal', `Input should be less than or equal to ${max}`, { le: max });
  return [];
}

export const checkBoolean: Check = withSchema(
  { type: 'boolean' },
  (value) => (typeof value === 'boolean' ? [] : found('bool_type', 'Input should be a valid boolean')),
  readTruth,
);

export function checkEnum(values: readonly string[]): Check {
  const quoted = values.map((value) => `'${value}'`);
  const expected =
    quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}` : quoted.join('');
  return withSchema({ type: 'string', enum: [...values] }, (value) =>
    typeof value === 'string' && values.includes(value)
      ? []
      : found('enum', `Input should be ${expected}`, { expected }),
  );
}

const TIME_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: ISO_TIME.source,
  examples: ['2030-01-31T12:00:00Z'],
};

/** A date, or a time with its zone, as ISO 8601, that exists. */
export const checkTime: Check = withSchema(TIME_SCHEMA, (value) => {
  if (typeof value === 'string' && readTime(value)) return [];
  const expected = ACCEPTED_TIME;
  const wrong = typeof value === 'string' && ISO_TIME.test(value) ? 'There is no such time. ' : '';
  return [{ type: 'datetime_parsing', msg: `${wrong}Input should be ${expected}`, ctx: { expected } }];
});

/** A list whose every item passes a check. */
export function checkList(item: Check, { max }: { max: number }): Check {
  return withSchema(
    { type: 'array', items: item.schema, maxItems: max },
    (value) => {
      if (!Array.isArray(value)) return found('list_type', 'Input should be a valid list');
      if (value.length > max) {
        return found(
          'too_long',
          `List should have at most ${plural(max, 'item')} after validation, not ${value.length}`,
          {
            field_type: 'List',
            max_length: max,
            actual_length: value.length,
          },
        );
      }
      return value.flatMap((entry, index) => within(index, entry, item));
    },
    item.readLeniently && ((value) => (Array.isArray(value) ? value.map(item.readLeniently!) : value)),
  );
}

/** A map from text to text, with a bounded number of pairs and bounded lengths. */
export function checkStringMap(bounds: { maxPairs: number; maxKey: number; maxValue: number }): Check {
  const checkKey = checkString({ max: bounds.maxKey });
  const checkValue = checkString({ max: bounds.maxValue });
  const schema = {
    type: 'object',
    maxProperties: bounds.maxPairs,
    propertyNames: checkKey.schema,
    additionalProperties: checkValue.schema,
  } as const;
  return withSchema(schema, (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return found('dict_type', 'Input should be a valid dictionary');
    }
    const pairs = Object.entries(value);
    if (pairs.length > bounds.maxPairs) {
      return found(
        'too_long',
        `Dictionary should have at most ${plural(bounds.maxPairs, 'item')} after validation, not ${pairs.length}`,
        { field_type: 'Dictionary', max_length: bounds.maxPairs, actual_length: pairs.length },
      );
    }
    return pairs.flatMap(([key, entry]) => [
      ...within(`${key.slice(0, 50)}.[key]`, key, checkKey),
      ...within(key, entry, checkValue),
    ]);
  });
}

/**
 * An object with these fields and no others.
 *
 * @param required names of those that must be there
 */
export function checkObject(fields: Record<string, Check>, required: readonly string[]): Check {
  const names = Object.keys(fields);
  const properties = Object.fromEntries(names.map((name) => [name, fields[name]!.schema ?? {}]));
  const schema: JsonSchema = {
    type: 'object',
    properties,
    required: [...required],
    additionalProperties: false,
  };
  return withSchema(schema, (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return found('dict_type', `Input should be an object with ${names.join(', ')}`);
    }
    const missing = required.filter((name) => !Object.hasOwn(value, name));
    const input = Object.entries(value);
    return [
      ...missing.map((name) => ({ type: 'missing', msg: 'Field required', path: [name], input: null })),
      ...input.flatMap(([name, entry]) =>
        Object.hasOwn(fields, name)
          ? within(name, entry, fields[name]!)
          : [
              {
                type: 'extra_forbidden',
                msg: `There is no such field here. Accepted: ${names.join(', ')}`,
                path: [name],
                input: entry,
              },
            ],
      ),
    ];
  });
}

/** Null, or what passes a check. */
export function orNullCheck(check: Check): Check {
  const checkEither = (value: unknown) => (value === null ? [] : check(value));
  return check.schema ? withSchema(orNull(check.schema), checkEither, check.readLeniently) : checkEither;
}

function within(step: string | number, value: unknown, check: Check): Finding[] {
  return check(value).map((finding) => ({
    ...finding,
    path: [step, ...(finding.path ?? [])],
    input: 'input' in finding ? finding.input : value,
  }));
}

/** Whole numbers as a query has them. */
export function wholeNumberText(minimum: number, maximum: number): Check {
  return withSchema({ type: 'integer', minimum, maximum }, (value) => {
    const number = typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : NaN;
    if (number >= minimum && number <= maximum) return [];
    const expected = `a whole number from ${minimum} to ${maximum}`;
    return [{ type: 'int_parsing', msg: `Input should be ${expected}`, ctx: { expected } }];
  });
}

export const checkPercent = wholeNumberText(1, 100);
