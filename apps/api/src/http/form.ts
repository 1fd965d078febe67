import 'reflect-metadata';
import { withSchema } from '@app/domain/common/field-checks';
import { DomainError } from '@app/domain/errors';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CheckedField } from './fields';
import { FILES, type FormReader, type Upload } from './upload';
import { IGNORING_UNKNOWN_FIELDS } from './validation.pipe';
import { invalid } from './wire-problem';

type DtoClass<B extends object = object> = new () => B;

const FORM = Symbol('form');

const FILES_SCHEMA = {
  type: 'array',
  items: { type: 'string', contentMediaType: 'application/octet-stream' },
} as const;

/** The files of a form, in its DTO: their names, once the form has been read. */
export const FilesField = (options: { optional?: boolean } = {}) =>
  CheckedField(
    withSchema(FILES_SCHEMA, () => []),
    options,
  );

/** A form with files that has not been read. */
export class IncomingForm<B extends object> {
  constructor(
    private readonly dto: DtoClass<B>,
    private readonly body: unknown,
  ) {}

  /** The fields of a form that takes no files. */
  async read(): Promise<B> {
    return this.as((fields) => fields).receive(refuseFile);
  }

  /** The form for a service, which receives what `map` makes of the fields. */
  as<T>(map: (fields: B) => T): Upload<T> {
    return {
      receive: async (take) => {
        const names: string[] = [];
        const texts = await readTexts(this.body, async (file) => {
          names.push(file.name);
          await take(file);
        });
        if (texts !== undefined && FILES in texts) throw invalid('body', notAFile);
        const fields = { ...withoutEmpty(texts), ...(names.length > 0 && { [FILES]: names }) };
        return map(IGNORING_UNKNOWN_FIELDS.transform(fields, { type: 'body', metatype: this.dto }) as B);
      },
    };
  }
}

async function refuseFile(): Promise<never> {
  throw new DomainError('bad_request', { reason: 'A file is not accepted here.' });
}

const notAFile = {
  type: 'value_error',
  path: [FILES],
  msg: 'Value error, Input should be files: parts of the form with a file name',
  input: null,
};

/** The contract's own framework reads an empty field as one that is left out. */
function withoutEmpty(texts: object | undefined): object {
  return Object.fromEntries(Object.entries(texts ?? {}).filter(([, value]) => value !== ''));
}

/** A form in its simple encoding has been read already: it cannot have files. */
async function readTexts(
  body: unknown,
  take: Parameters<FormReader['read']>[0],
): Promise<object | undefined> {
  const isReader =
    typeof body === 'object' && body !== null && 'read' in body && typeof body.read === 'function';
  return isReader ? (body as FormReader).read(take) : (body as object | undefined);
}

const BodyAsForm = createParamDecorator(
  (dto: DtoClass, context: ExecutionContext) =>
    new IncomingForm(dto, context.switchToHttp().getRequest<FastifyRequest>().body),
);

/** The form of a route that declares `multipart`, as an `IncomingForm` of this DTO. */
export const Form =
  (dto: DtoClass): ParameterDecorator =>
  (target, method, index) => {
    Reflect.defineMetadata(FORM, dto, target, method!);
    BodyAsForm(dto)(target, method, index);
  };

/** The DTO of a handler's form. */
export function formOf(controller: object, handler: string): DtoClass {
  return Reflect.getMetadata(FORM, controller, handler) as DtoClass;
}
