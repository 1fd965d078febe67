import ts from 'typescript';
import { fieldsOf, isOptionalBody, type FieldDescription } from '../../apps/api/src/http/fields';
import { orNull, type JsonSchema } from '../../libs/domain/common/json-schema';
import { checkExternalId } from '../../libs/domain/common/tags';
import { formOf } from '../../apps/api/src/http/form';
import { END_USER_HEADER } from '../../apps/api/src/http/end-user';
import { ReasonBody } from '../../apps/api/src/http/reason';
import { withExample } from './examples';
import { isStaffCreation, type Operation } from './operations';
import type { Source } from './source';
import type { TypeSchemas } from './type-schemas';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface Inputs {
  parameters: Parameter[];
  body?: JsonSchema;
  /** Whether the body may be left out. */
  bodyIsOptional: boolean;
}

type Dto = new () => object;

/** Reads what a handler takes from its parameters' decorators and from the fields of its DTOs. */
export class InputReader {
  /** The DTOs of bodies. */
  readonly components: Record<string, JsonSchema> = {};

  constructor(
    private readonly source: Source,
    private readonly types: TypeSchemas,
  ) {}

  read(operation: Operation, declaration: ts.MethodDeclaration): Inputs {
    const { controller, handler, access, path } = operation;
    const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler) as Dto[];
    const inputs: Inputs = { parameters: [], bodyIsOptional: false };
    // Declared on every route of staff at once.
    if (isStaffCreation(operation)) inputs.parameters.push(IDEMPOTENCY_KEY);
    if (operation.generates) inputs.parameters.push(END_USER);
    declaration.parameters.forEach((parameter, index) => {
      for (const { name, argument } of decoratorsOf(parameter)) {
        if (name === 'Body') {
          inputs.body = this.bodyOf(types[index]!, parameter, typeof access === 'object');
          inputs.bodyIsOptional = isOptionalBody(types[index]!);
        }
        if (name === 'Form')
          inputs.body = this.component(formOf(controller.prototype as object, handler), false);
        if (name === 'Query') inputs.parameters.push(...this.queryOf(types[index]!));
        if (name === 'Param')
          inputs.parameters.push(
            ...(argument === undefined ? allInPath(path) : [this.pathParameter(argument, parameter)]),
          );
        if (name === 'IfMatch' || name === 'Change') inputs.parameters.push(IF_MATCH);
        if (name === 'Change' || name === 'Action') inputs.body ??= this.component(ReasonBody, true);
        if (name === 'IfMatchWhenSent') inputs.parameters.push({ ...IF_MATCH, required: false });
        if (name === 'IdempotencyKey') inputs.parameters.push(IDEMPOTENCY_KEY);
        if (name === 'Headers') inputs.parameters.push(headerParameter(argument!));
      }
    });
    return inputs;
  }

  /** A list is the form of another party, which has no DTO: its type says what is in it. */
  private bodyOf(dto: Dto, parameter: ts.ParameterDeclaration, closed: boolean): JsonSchema {
    if (dto !== (Array as unknown as Dto)) return this.component(dto, closed);
    return this.types.of(this.source.checker.getTypeAtLocation(parameter));
  }

  /** A parameter with its own type has been checked by a pipe. */
  private pathParameter(name: string, parameter: ts.ParameterDeclaration): Parameter {
    const schema = this.types.of(this.source.checker.getTypeAtLocation(parameter));
    return { name, in: 'path', required: true, schema: withExample(name, schema) };
  }

  private queryOf(dto: Dto): Parameter[] {
    return this.fields(dto, false).map(({ name, required, schema: { description, ...schema } }) => ({
      name,
      in: 'query',
      required,
      ...(description !== undefined && { description }),
      schema,
    }));
  }

  /** @param closed whether an unknown field is refused, as staff routes do */
  private component(dto: Dto, closed: boolean): JsonSchema {
    const fields = this.fields(dto, !closed);
    const required = fields.filter((field) => field.required).map(({ name }) => name);
    this.components[dto.name] = {
      type: 'object',
      description: this.source.comment(this.source.typeOf(dto.name).symbol),
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      ...(closed && { additionalProperties: false }),
    };
    return { $ref: `#/components/schemas/${dto.name}` };
  }

  /** @param lenient whether null stands for an optional field that is left out */
  private fields(dto: Dto, lenient: boolean): { name: string; required: boolean; schema: JsonSchema }[] {
    const defaults = new dto() as Record<string, unknown>;
    const type = this.source.typeOf(dto.name);
    return fieldsOf(dto.prototype as object).map((field) => {
      const description = this.source.comment(type.getProperty(field.name));
      const schema = {
        ...withExample(field.name, schemaOf(dto, field, lenient)),
        ...(description !== undefined && { description }),
        ...(defaults[field.name] !== undefined && { default: defaults[field.name] }),
      };
      return { name: field.name, required: field.required, schema };
    });
  }
}

function schemaOf(dto: Dto, { name, schema, nullIsAbsence }: FieldDescription, lenient: boolean): JsonSchema {
  if (schema) return lenient && nullIsAbsence ? orNull(schema) : schema;
  throw new Error(
    `The field ${dto.name}.${name} has a check without a JSON Schema: make it with withSchema(…).`,
  );
}

const IF_MATCH: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: true,
  description: 'The `ETag` of what was read: another change in the meantime is not lost.',
  schema: { type: 'string', examples: ['"v3"'] },
};

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'The same key with the same request gets the same response for a day, and has its effect once.',
  schema: {
    type: 'string',
    pattern: '^[\\x21-\\x7e]{1,255}$',
    examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
  },
};

const END_USER: Parameter = {
  name: END_USER_HEADER,
  in: 'header',
  required: false,
  description:
    'Which of your users the request is for, by your id for them, in UTF-8: usage is grouped by it.',
  schema: checkExternalId.schema!,
};

function headerParameter(name: string): Parameter {
  return { name, in: 'header', required: false, schema: { type: 'string' } };
}

/** What a handler takes that reads every placeholder of its path. */
function allInPath(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: withExample(name, { type: 'string' }),
  }));
}

/** `@Name('argument')` */
function decoratorsOf(parameter: ts.ParameterDeclaration): { name: string; argument?: string }[] {
  return (ts.getDecorators(parameter) ?? []).flatMap(({ expression }) => {
    if (!ts.isCallExpression(expression)) return [];
    const [first] = expression.arguments;
    const argument = first && ts.isStringLiteral(first) ? first.text : undefined;
    return [{ name: expression.expression.getText(), argument }];
  });
}
