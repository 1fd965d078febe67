import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { checkOf, fieldsOf, isOptionalBody } from './fields';
import { findUnstorableText } from './unstorable-text';
import { ValidationProblem, type WireProblem } from './wire-problem';

type DtoClass = new () => object;

/** Turns a body or query into its DTO, or refuses it with every problem found. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  constructor(private readonly unknownFields: 'ignored' | 'refused') {}

  transform(given: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || !metatype) return given;
    const value = given === undefined && isOptionalBody(metatype) ? {} : given;
    const unstorable = findUnstorableText(value, [type]);
    if (unstorable.length > 0) throw new ValidationProblem(unstorable);
    // A list is the form of another party, which its feature reads.
    if (metatype === Array) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ValidationProblem([notAnObject(type, value)]);
    return this.accept(metatype as DtoClass, value) ?? this.validate(metatype as DtoClass, value, type);
  }

  /** The DTO if nothing is wrong with it. Without class-validator, which costs more than all else a short request does. */
  private accept(dtoClass: DtoClass, value: object): object | null {
    const dto = new dtoClass() as Record<string, unknown>;
    let known = 0;
    for (const { name, check } of fieldsOf(dtoClass.prototype as object)) {
      if (Object.hasOwn(value, name)) {
        dto[name] = (value as Record<string, unknown>)[name];
        known += 1;
      }
      if (check(dto[name]).length > 0) return null;
    }
    return this.unknownFields === 'refused' && known < Object.keys(value).length ? null : dto;
  }

  private validate(dtoClass: DtoClass, value: object, type: string): object {
    const dto: object = Object.assign(new dtoClass(), value);
    const errors = validateSync(dto, {
      whitelist: true,
      forbidNonWhitelisted: this.unknownFields === 'refused',
      forbidUnknownValues: false,
    });
    if (errors.length > 0) throw new ValidationProblem(errors.flatMap((error) => toProblems(type, error)));
    return dto;
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

function toProblems(place: string, error: ValidationError): WireProblem[] {
  const check = checkOf(error.target!, error.property);
  if (!check) return [unknownField(place, error)];
  return check(error.value).map(({ type, msg, ctx, path = [], input = error.value as unknown }) => ({
    type,
    loc: [place, error.property, ...path],
    msg,
    input,
    ...(ctx && { ctx }),
  }));
}

function unknownField(place: string, { target, property, value }: ValidationError): WireProblem {
  const fields = getMetadataStorage().getTargetValidationMetadatas(target!.constructor, '', false, false);
  const known = [...new Set(fields.map((field) => field.propertyName))].sort();
  const accepted = known.length > 0 ? `one of the fields ${known.join(', ')}` : 'no field at all';
  return {
    type: 'extra_forbidden',
    loc: [place, property],
    msg: `Input should be ${accepted}`,
    input: value,
    ctx: { accepted },
  };
}
