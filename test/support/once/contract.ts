import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { OPENAPI_FILE } from '../../../libs/config/openapi-file';

interface ResponseObject {
  $ref?: string;
  content?: Record<string, object>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, ResponseObject> }>>;
  components: { schemas: object; responses: Record<string, ResponseObject> };
}

const document = closeObjects(JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'))) as Document;
const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: true });
addFormats(ajv);
ajv.addSchema(document, 'openapi');

const templates = Object.keys(document.paths)
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);

/** What the description of the API does not list: pages, and requests to paths that do not exist. */
const DESCRIBED = /^\/(v1|v2|admin(?!\/queues\/board)|introspect)(\/|$)/;

/** Responses of stacks that differ from the description of the API, since the last test. */
const violations: string[] = [];
const pending = new Set<Promise<void>>();
const origins = new Set<string>();

/** From now on every response from there is compared with the description of the API. */
export function holdToContract(baseUrl: string): void {
  origins.add(new URL(baseUrl).origin);
}

/** The same fetch; it examines responses of stacks on their way. */
export function checkingFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
    if (origins.has(url.origin)) check(method, url.pathname, response);
    return response;
  };
}

/** @throws Error when a response since the last call differed from the description */
export async function assertContract(): Promise<void> {
  await Promise.all(pending);
  const found = violations.splice(0);
  if (found.length > 0) throw new Error(`Not as openapi.json says:\n${found.join('\n')}`);
}

function check(method: string, path: string, response: Response): void {
  const checked = (
    isJson(response.headers.get('content-type')) ? response.clone().json() : Promise.resolve(undefined)
  ).then(
    (body: unknown) => {
      const problem = problemOf(method, path, response, body);
      if (problem) violations.push(`${method} ${path} ${response.status}: ${problem}`);
    },
    // The caller has gone away, or the test sees the broken body itself.
    () => undefined,
  );
  pending.add(checked);
  void checked.finally(() => pending.delete(checked));
}

/** Whether a whole response of this type is one JSON text; lines of JSON are not. */
export function isJson(contentType: string | null | undefined): boolean {
  return /^application\/([a-z]+\+)?json\b/.test(contentType ?? '');
}

/** How a response differs from the description of the API; null when it is as described. */
export function problemOf(method: string, path: string, response: Response, body: unknown): string | null {
  const found = responsesAt(method, path);
  if (!found) return DESCRIBED.test(path) ? problemOfUnknown(path, method, response, body) : null;
  const answer = found.responses[response.status];
  if (!answer) return `the status is not described (${JSON.stringify(body)?.slice(0, 300)})`;
  const pointer = answer.$ref ?? `${found.pointer}/${response.status}`;
  const { content } = answer.$ref ? document.components.responses[answer.$ref.split('/').at(-1)!]! : answer;
  const mediaType = mediaTypeOf(response);
  // The headers of a 304 are those of what is not sent again.
  const hasBody = mediaType !== undefined && response.status !== 304;
  if (!content) return hasBody ? `a body of ${mediaType} is not described` : null;
  if (method === 'HEAD') return null;
  if (!mediaType || !(mediaType in content || mediaType.replace(/\/.*/, '/*') in content))
    return `the media type ${mediaType} is not described`;
  if (body === undefined) return null;
  return mismatch(`${pointer}/content/${mediaType.replaceAll('/', '~1')}/schema`, body);
}

/** What is not there is refused in the shape of every refusal. */
function problemOfUnknown(path: string, method: string, { status }: Response, body: unknown): string | null {
  if (method === 'OPTIONS' && status < 300) return null;
  if (status < 400) return 'the operation is not described';
  if (method === 'HEAD') return null;
  return mismatch(`#/components/schemas/${path.startsWith('/admin') ? 'Problem' : 'ErrorBody'}`, body);
}

function mismatch(pointer: string, body: unknown): string | null {
  const validate = validatorAt(pointer);
  return validate(body)
    ? null
    : `${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`;
}

const validators = new Map<string, ValidateFunction>();

function validatorAt(pointer: string): ValidateFunction {
  const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi${encodeURI(pointer)}` });
  validators.set(pointer, known);
  return known;
}

function responsesAt(method: string, path: string) {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const read = unescaped(path);
  const template = templates.find((each) => each.pattern.test(read) && document.paths[each.path]![verb]);
  if (!template) return null;
  const pointer = `#/paths/${template.path.replaceAll('/', '~1')}/${verb}/responses`;
  return { pointer, responses: document.paths[template.path]![verb]!.responses };
}

/** A path as the router reads it, without one slash at its end. */
function unescaped(path: string): string {
  try {
    return decodeURI(path.replace(/(?<=.)\/$/, ''));
  } catch {
    return path;
  }
}

function mediaTypeOf({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim();
}

/** The same document with objects that have no other properties than those it names: every property of a response must be described. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  // The parts of an allOf only narrow each other.
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    key === 'allOf' ? value : closeObjects(value),
  ]);
  const copy = Object.fromEntries(entries) as Record<string, unknown>;
  const isClosed =
    copy.type === 'object' && copy.properties !== undefined && copy.additionalProperties === undefined;
  return isClosed ? { ...copy, additionalProperties: false } : copy;
}
