import type { Type } from '@nestjs/common';
import ts from 'typescript';
import { ApiKeyHook } from '../../libs/auth/api-key.hook';
import { acceptedTypes } from '../../apps/api/src/http/content-type';
import type { JsonSchema } from '../../libs/domain/common/json-schema';
import { isStaffPath } from '../../apps/api/src/http/problem-json';
import { isPersonField } from '../../apps/api/src/http/staff-names';
import { ServiceCredentialHook } from '../../libs/auth/service-credential.hook';
import { GenerationInterceptor } from '../../apps/api/src/limits/generation.interceptor';
import { RequestLimitHook } from '../../apps/api/src/limits/request-limit.hook';
import { SingleUseTokenHook } from '../../apps/api/src/single-use-tokens/single-use-token.hook';
import { StaffHook } from '../../apps/api/src/staff/staff.hook';
import { PACKAGE, PROJECT_ROOT } from '../../libs/config/project-root';
import { readBehaviour, type Behaviour } from './behaviour';
import { headersOf } from './headers';
import { InputReader } from './inputs';
import { listOperations, type Operation } from './operations';
import { behavioursOf, refusalsOf, toRefusalResponse, type Hooks, type ResponseObject } from './refusals';
import { schemesOf, securityOf } from './security';
import { Source } from './source';
import { TypeSchemas } from './type-schemas';
import { describeAccess, operationId, tagOf, tagsOf } from './words';

export type OpenApiDocument = Record<string, unknown> & {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, object> }>>;
  components: Record<string, unknown> & { schemas: Record<string, object> };
};

/**
 * Describes an api by its own code: paths and access by the decorators of its routes, inputs by the fields of their DTOs,
 * responses by the types that the handlers return, refusals by what the code behind a handler throws.
 */
export function describeApi(controllers: readonly Type[]): {
  whole: OpenApiDocument;
  /** Without the operations of staff. */
  forCustomers: OpenApiDocument;
} {
  const source = new Source(PROJECT_ROOT);
  const operations = listOperations(controllers);
  return {
    whole: new DocumentBuilder(source).build(operations),
    forCustomers: new DocumentBuilder(source).build(operations.filter(({ path }) => !isStaffPath(path))),
  };
}

class DocumentBuilder {
  private readonly inputs: InputReader;
  private readonly types: TypeSchemas;
  private readonly responses: Record<string, ResponseObject> = {};
  private readonly hooks: Hooks;

  constructor(private readonly source: Source) {
    this.types = new TypeSchemas(source);
    this.inputs = new InputReader(source, this.types);
    this.hooks = {
      apiKey: readBehaviour(source, source.method(ApiKeyHook.name, 'protect')),
      service: readBehaviour(source, source.method(ServiceCredentialHook.name, 'protect')),
      staff: readBehaviour(source, source.method(StaffHook.name, 'protect')),
      token: readBehaviour(source, source.method(SingleUseTokenHook.name, 'protect')),
      limit: readBehaviour(source, source.method(RequestLimitHook.name, 'protect')),
      generation: readBehaviour(source, source.method(GenerationInterceptor.name, 'intercept')),
    };
  }

  build(operations: Operation[]): OpenApiDocument {
    const paths: OpenApiDocument['paths'] = {};
    for (const operation of operations.toSorted(byPath)) {
      paths[operation.path] = {
        ...paths[operation.path],
        [operation.method.toLowerCase()]: this.describe(operation),
      };
    }
    const problem = operations.some(({ path }) => isStaffPath(path)) ? ['Problem'] : [];
    ['ErrorBody', 'ValidationErrorBody', ...problem].forEach((name) =>
      this.types.of(this.source.typeOf(name)),
    );
    return {
      openapi: '3.1.0',
      info: {
        title: 'Greenroom',
        version: PACKAGE.version,
        description:
          'Voices from descriptions, and the keys, credits and allow-lists of those who make them.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The address this document comes from.' }],
      tags: tagsOf(operations),
      paths,
      components: {
        securitySchemes: schemesOf(operations),
        schemas: sorted({ ...this.inputs.components, ...this.types.components }),
        responses: sorted(this.responses),
      },
    };
  }

  private describe(operation: Operation) {
    const declaration = this.source.method(operation.controller.name, operation.handler);
    const behaviour = readBehaviour(this.source, declaration);
    const { parameters, body, bodyIsOptional } = this.inputs.read(operation, declaration);
    const validates =
      behaviour.validates || body !== undefined || parameters.some((each) => each.in === 'query');
    const handler = this.source.checker.getSymbolAtLocation(declaration.name);
    const comment = this.source.comment(handler);
    return {
      operationId: operationId(operation),
      summary: this.source.summary(declaration),
      description: [comment, describeAccess(operation)].filter(Boolean).join('\n\n'),
      tags: [tagOf(operation)],
      ...(this.source.isDeprecated(handler) && { deprecated: true }),
      security: securityOf(operation),
      ...(parameters.length > 0 && { parameters }),
      ...(body && { requestBody: { required: !bodyIsOptional, content: contentOf(operation, body) } }),
      responses: {
        [operation.successStatus]: this.success(operation, declaration, behaviour),
        ...(operation.mayWait && { 202: this.waiting() }),
        ...(behaviour.headers.has('content-range') && this.partial(operation, declaration, behaviour)),
        ...this.refusals(operation, { ...behaviour, validates }),
      },
    };
  }

  private success(
    operation: Operation,
    declaration: ts.MethodDeclaration,
    { headers }: Behaviour,
  ): ResponseObject {
    const schema = this.responseSchema(operation, declaration);
    const before = behavioursOf(operation, this.hooks).flatMap((hook) => [...hook.headers]);
    // See EtagInterceptor.
    const isVersioned =
      typeof operation.access === 'object' && this.responseType(declaration).getProperty('version');
    if (isVersioned) before.push('etag');
    if (schema && typeof operation.access === 'object') this.addStaffNames(schema);
    return {
      description: 'Done.',
      headers: headersOf(new Set(['x-request-id', ...headers, ...before])),
      ...(schema && { content: { [operation.mediaType ?? 'application/json']: { schema } } }),
    };
  }

  /** The response of a change that waits for a second person. */
  private waiting(): ResponseObject {
    const schema = this.types.of(this.source.typeOf('WaitingChangeResponse'));
    this.addStaffNames(schema);
    return {
      description: 'Nothing has changed yet: this waits for a second person.',
      headers: headersOf(new Set(['x-request-id'])),
      content: { 'application/json': { schema } },
    };
  }

  /** Adds what StaffNames adds, where there may be an address of a member of staff. */
  private addStaffNames(schema: JsonSchema): void {
    const { properties } = this.resolved(schema);
    if (properties && this.hasPerson(schema)) properties.staff_names = STAFF_NAMES;
  }

  private hasPerson(input: JsonSchema, read = new Set<JsonSchema>()): boolean {
    const schema = this.resolved(input);
    if (read.has(schema)) return false;
    read.add(schema);
    // Of any form, as what an event of the audit log has changed.
    if (Object.keys(schema).every((key) => key === 'description')) return true;
    const { properties = {}, items, anyOf = [], additionalProperties: values } = schema;
    const parts = [...Object.values(properties), ...anyOf, items, values];
    return (
      Object.entries(properties).some(([name, { enum: texts }]) => !texts && isPersonField(name)) ||
      parts.some((part) => typeof part === 'object' && this.hasPerson(part, read))
    );
  }

  private resolved(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : this.types.components[name]!;
  }

  /** The further responses of routes that understand `Range` and `If-None-Match`. */
  private partial(
    operation: Operation,
    declaration: ts.MethodDeclaration,
    behaviour: Behaviour,
  ): Record<string, ResponseObject> {
    const part = this.success(operation, declaration, behaviour);
    return {
      206: { ...part, description: 'The part that `Range` requests.' },
      304: { description: 'Not changed since it was read.', headers: part.headers },
    };
  }

  /** @throws Error when a route with its own body does not say what it is */
  private responseSchema(
    { controller, handler, mediaType, successStatus }: Operation,
    declaration: ts.MethodDeclaration,
  ) {
    if (mediaType !== undefined) return { type: 'string', contentMediaType: mediaType } satisfies JsonSchema;
    const type = this.responseType(declaration);
    if ([101, 204, 302].includes(successStatus)) return undefined;
    try {
      if (type.flags & ts.TypeFlags.VoidLike) throw new Error('it returns nothing');
      return this.types.of(type);
    } catch (error) {
      throw new Error(
        `The response of ${controller.name}.${handler} is not described: ${(error as Error).message}. ` +
          'Return an interface, or say with @Produces(…) what it is.',
        { cause: error },
      );
    }
  }

  private responseType(declaration: ts.MethodDeclaration): ts.Type {
    const { checker } = this.source;
    return checker.getAwaitedType(checker.getSignatureFromDeclaration(declaration)!.getReturnType())!;
  }

  private refusals(operation: Operation, behaviour: Behaviour): Record<string, { $ref: string }> {
    const staff = isStaffPath(operation.path);
    const refusals = refusalsOf(operation, behaviour, this.hooks);
    return Object.fromEntries(
      [...refusals].map(([status, codes]) => {
        const { name, response } = toRefusalResponse(status, codes, {
          staff,
          validates: behaviour.validates,
        });
        this.responses[name] = response;
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    );
  }
}

const STAFF_NAMES: JsonSchema = {
  type: 'object',
  description: 'What members of staff are called today, by the e-mail addresses of them in this response.',
  additionalProperties: { type: 'string' },
};

/** The media types of a body, all with one schema. */
function contentOf(operation: Operation, schema: JsonSchema): Record<string, { schema: JsonSchema }> {
  return Object.fromEntries(acceptedTypes(operation).map((type) => [type, { schema }]));
}

function byPath(a: Operation, b: Operation): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

function sorted<T>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
