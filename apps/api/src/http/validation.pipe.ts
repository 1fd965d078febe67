import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { canonicalText } from '@app/domain/common/canonical-text';
import { validateSync, type ValidationError } from 'class-validator';
import { checkOf, fieldsOf, isOptionalBody, type FieldDescription } from './fields';
import { findUnstorableText } from './unstorable-text';
import { invalid, ValidationProblem, type WireProblem } from './wire-problem';

type DtoClass = new () => object;

const MAX_UNKNOWN_NAMED = 20;

/** Turns a body or query into its DTO, or refuses it with every problem found. */
@Injectable()
class ValidationPipe implements PipeTransform {
  constructor(private readonly unknownFields: 'ignored' | 'refused') {}

  transform(input: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || !metatype) return input;
    // A list is the form of another party, which its feature reads.
    if (metatype === Array) return input;
    const value = input === undefined && isOptionalBody(metatype) ? {} : input;
    const unstorable = findUnstorableText(value);
    if (unstorable.length > 0) throw invalid(type, ...unstorable);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ValidationProblem([notAnObject(type, value)]);
    return this.read(metatype as DtoClass, value, type);
  }

  /** The DTO, with the fields that it describes and nothing else that the client has sent. */
  private read(dtoClass: DtoClass, value: object, place: string): object {
    const fields = fieldsOf(dtoClass.prototype as object);
    const dto = pick(new dtoClass(), fields, value, this.unknownFields === 'ignored');
    const unknown = this.unknownFields === 'refused' ? findUnknown(place, value, fields) : [];
    // Class-validator costs more than all else a short request does: only a refusal needs it.
    if (unknown.length === 0 && isValid(dto, fields)) return dto;
    const errors = validateSync(dto, { forbidUnknownValues: false });
    throw new ValidationProblem([...unknown, ...errors.flatMap((error) => toProblems(place, error))]);
  }
}

/** The wire contract's own server ignores fields that it does not know. */
export const IGNORING_UNKNOWN_FIELDS = new ValidationPipe('ignored');

/** A field that staff misspelled is a change that would not happen, or a filter that would not filter. */
export const REFUSING_UNKNOWN_FIELDS = new ValidationPipe('refused');

function notAnObject(place: string, value: unknown): WireProblem {
  if (value === undefined) return { type: 'missing', loc: [place], msg: 'Field required', input: null };
  return {
    type: 'model_attributes_type',
    loc: [place],
    msg: 'Input should be a valid dictionary or object to extract fields from',
    input: value,
  };
}

/**
 * @param lenient whether null may stand for a field that is left out, and a text for a number or a truth value, as many
 *   clients send them
 */
function pick(
  dto: object,
  fields: FieldDescription[],
  value: object,
  lenient: boolean,
): Record<string, unknown> {
  const [to, from] = [dto as Record<string, unknown>, value as Record<string, unknown>];
  for (const { name, nullIsAbsence, verbatim, readLeniently } of fields) {
    const isLeftOut = !Object.hasOwn(from, name) || (lenient && nullIsAbsence && from[name] === null);
    if (isLeftOut) continue;
    const value = verbatim ? from[name] : canonicalText(from[name]);
    to[name] = lenient && readLeniently ? readLeniently(value) : value;
  }
  return to;
}

function isValid(dto: Record<string, unknown>, fields: FieldDescription[]): boolean {
  return fields.every(({ name, check }) => check(dto[name]).length === 0);
}

function toProblems(place: string, { target, property, value }: ValidationError): WireProblem[] {
  const check = checkOf(target!, property)!;
  return check(value).map(({ type, msg, ctx, path = [], input = value as unknown }) => ({
    type,
    loc: [place, property, ...path],
    msg,
    input,
    ...(ctx && { ctx }),
  }));
}

/** The first of them: a body of thousands does not get a response of thousands. */
function findUnknown(place: string, value: object, fields: FieldDescription[]): WireProblem[] {
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.entries(value as Record<string, unknown>).filter(([name]) => !known.has(name));
  const accepted = known.size > 0 ? `one of the fields ${[...known].sort().join(', ')}` : 'no field at all';
  return unknown.slice(0, MAX_UNKNOWN_NAMED).map(([name, input]) => ({
    type: 'extra_forbidden',
    loc: [place, name],
    msg: `Input should be ${accepted}`,
    input,
    ctx: { accepted },
  }));
}
