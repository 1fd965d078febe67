import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { checkOf } from './fields';
import { findUnstorableText } from './unstorable-text';
import { ValidationProblem, type WireProblem } from './wire-problem';

type DtoClass = new () => object;

/**
 * Turns a body or query into its DTO, or refuses it with every problem found. Unknown fields are ignored, as the wire
 * contract's own server does.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || !metatype) return value;
    const unstorable = findUnstorableText(value, [type]);
    if (unstorable.length > 0) throw new ValidationProblem(unstorable);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ValidationProblem([notAnObject(type, value)]);
    const dto: object = Object.assign(new (metatype as DtoClass)(), value);
    const errors = validateSync(dto, { whitelist: true, forbidUnknownValues: false });
    if (errors.length > 0) throw new ValidationProblem(errors.flatMap((error) => toProblems(type, error)));
    return dto;
  }
}

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
  return check(error.value).map(({ type, msg, ctx, path = [], input = error.value as unknown }) => ({
    type,
    loc: [place, error.property, ...path],
    msg,
    input,
    ...(ctx && { ctx }),
  }));
}
