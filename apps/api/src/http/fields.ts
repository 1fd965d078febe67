import 'reflect-metadata';
import { ValidateBy } from 'class-validator';
import {
  checkBoolean,
  checkEnum,
  checkInteger,
  checkList,
  checkNumber,
  checkString,
  checkStringMap,
  withSchema,
  type Check,
} from '@app/domain/common/field-checks';
import { orNull, type JsonSchema } from '@app/domain/common/json-schema';

interface Presence {
  /** The field may be left out. */
  optional?: boolean;
  /** The field may be null. */
  nullable?: boolean;
  /** Its text is taken as it was sent, not composed (NFC): a password, or what is spoken. */
  verbatim?: boolean;
}

const CHECK = Symbol('check');
const FIELDS = Symbol('fields');

/** The check of a DTO's field; none for a field that the DTO does not have. */
export function checkOf(dto: object, property: string): Check | undefined {
  return Reflect.getMetadata(CHECK, dto, property) as Check | undefined;
}

/** A DTO's field, for the pipe and for the API's description. */
export interface FieldDescription {
  name: string;
  required: boolean;
  /** Null has no separate meaning: to a customer's program it is the field left out. */
  nullIsAbsence: boolean;
  verbatim: boolean;
  check: Check;
  readLeniently: Check['readLeniently'];
  /** None when the field's check does not know it. */
  schema?: JsonSchema;
}

/** The fields of a DTO, those of its base classes first. */
export function fieldsOf(dto: object): FieldDescription[] {
  return (Reflect.getMetadata(FIELDS, dto) ?? []) as FieldDescription[];
}

const OPTIONAL = Symbol('optional body');

/** A body that may be left out: then it has no fields. */
export const OptionalBody = (): ClassDecorator => Reflect.metadata(OPTIONAL, true);

export function isOptionalBody(dto: object): boolean {
  return Reflect.hasMetadata(OPTIONAL, dto);
}

function field(
  check: Check,
  { optional = false, nullable = false, verbatim = false }: Presence,
): PropertyDecorator {
  const checkPresent: Check = (value) => {
    if (value === undefined) return optional ? [] : [{ type: 'missing', msg: 'Field required', input: null }];
    if (value === null && nullable) return [];
    return check(value);
  };
  const validate = ValidateBy({
    name: 'wire',
    validator: { validate: (value) => checkPresent(value).length === 0 },
  });
  return (target, property) => {
    const name = String(property);
    const schema = check.schema && nullable ? orNull(check.schema) : check.schema;
    const others = fieldsOf(target).filter((other) => other.name !== name);
    Reflect.defineMetadata(CHECK, checkPresent, target, property);
    Reflect.defineMetadata(
      FIELDS,
      [
        ...others,
        {
          name,
          required: !optional,
          nullIsAbsence: optional && !nullable,
          verbatim,
          check: checkPresent,
          readLeniently: check.readLeniently,
          schema,
        },
      ],
      target,
    );
    validate(target, property);
  };
}

export const StringField = (options: Presence & { min?: number; max?: number } = {}) =>
  field(checkString(options), options);

export const NumberField = (options: Presence & { min?: number; max?: number }) =>
  field(checkNumber(options), options);

export const IntegerField = (options: Presence & { min: number; max: number }) =>
  field(checkInteger(options), options);

export const BooleanField = (options: Presence = {}) => field(checkBoolean, options);

export const EnumField = (values: readonly string[], options: Presence = {}) =>
  field(checkEnum(values), options);

export const StringListField = (options: Presence & { maxItems: number; maxLength: number }) =>
  field(checkList(checkString({ max: options.maxLength }), { max: options.maxItems }), options);

export const StringMapField = (options: Presence & { maxPairs: number; maxKey: number; maxValue: number }) =>
  field(checkStringMap(options), options);

/** A field with its own check. */
export const CheckedField = (check: Check, options: Presence = {}) => field(check, options);

/** An object with the fields of a DTO; others are ignored. */
export function checkObject(dto: new () => object): Check {
  const fields = fieldsOf(dto.prototype as object);
  const schema = {
    type: 'object',
    required: fields.filter((field) => field.required).map(({ name }) => name),
    properties: Object.fromEntries(fields.map((field) => [field.name, field.schema ?? {}])),
  } as const;
  const read = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const input = { ...value } as Record<string, unknown>;
    for (const { name, readLeniently } of fields)
      if (readLeniently && Object.hasOwn(input, name)) input[name] = readLeniently(input[name]);
    return input;
  };
  const check = (value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [{ type: 'dict_type', msg: 'Input should be a valid dictionary' }];
    const input = value as Record<string, unknown>;
    return fields.flatMap(({ name, check }) => {
      const field = Object.hasOwn(input, name) ? input[name] : undefined;
      return check(field).map((finding) => ({
        ...finding,
        path: [name, ...(finding.path ?? [])],
        input: 'input' in finding ? finding.input : field,
      }));
    });
  };
  return withSchema(schema, check, read);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A recording in JSON. */
export const checkBase64 = withSchema({ type: 'string', minLength: 4, pattern: BASE64.source }, (value) => {
  if (typeof value !== 'string') return [{ type: 'string_type', msg: 'Input should be a valid string' }];
  if (value !== '' && BASE64.test(value)) return [];
  const msg = 'Value error, should be the base64 of a recording';
  return [{ type: 'value_error', msg, input: value.slice(0, 100) }];
});
