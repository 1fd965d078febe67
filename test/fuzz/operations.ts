import { readFileSync } from 'node:fs';
import { OPENAPI_FILE } from '../../libs/config/openapi-file';

/** The part of JSON Schema that inputs are described with. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: (string | number | boolean)[];
  const?: string | number | boolean;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

export type Credential = 'api_key' | 'staff_session' | 'service_credential' | 'none';

/** One operation of the API's description, as far as requests are built from it. */
export interface Operation {
  /** For example `GET /v1/voices/{voice_id}`. */
  name: string;
  method: string;
  path: string;
  credential: Credential;
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema }[];
  /** By media type. */
  bodies: [mediaType: string, schema: Schema][];
}

interface Document {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema> };
}

interface DescribedOperation {
  security: Record<string, unknown>[];
  parameters?: Operation['parameters'];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const document = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as Document;

/** Every operation that the API's description has. */
export const OPERATIONS: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { security, parameters = [], requestBody }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    credential: (Object.keys(security[0] ?? {})[0] ?? 'none') as Credential,
    parameters,
    bodies: Object.entries(requestBody?.content ?? {}).map(([mediaType, { schema }]): [string, Schema] => [
      mediaType,
      schema,
    ]),
  })),
);

/** The schema itself, if it is only referred to. */
export function resolved(schema: Schema): Schema {
  return schema.$ref ? resolved(document.components.schemas[schema.$ref.split('/').at(-1)!]!) : schema;
}
