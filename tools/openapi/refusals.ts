import type { JsonSchema } from '../../libs/domain/common/json-schema';
import { toErrorBody } from '../../apps/api/src/http/error-body';
import { isStaffPath, toProblem } from '../../apps/api/src/http/problem-json';
import { ERRORS, type DomainError, type ErrorCode } from '../../libs/domain/errors';
import { toError } from '../../libs/gates/gate';
import type { Behaviour } from './behaviour';
import { isStaffCreation, type Operation } from './operations';
import { headersOf, type Header } from './headers';

export interface ResponseObject {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, { schema: JsonSchema; examples?: Record<string, object> }>;
}

/** Whatever a route does: the server itself may refuse a request, or a part of it may be down. */
const ALWAYS: ErrorCode[] = [
  'bad_request',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'too_many_headers',
  'internal_error',
  'service_unavailable',
];
const WITH_BODY: ErrorCode[] = [
  'malformed_json',
  'request_too_large',
  'invalid_content_type',
  'too_many_large_bodies',
  'system_busy',
];

/** Routes that an installation can be without: see TEXT_TO_SPEECH. */
const CAN_BE_OFF = /^\/v1\/(text-to-speech|history)\b/;

/** Where requests come with what belongs to a cell. */
const IN_A_CELL = /^\/(v1|introspect)\b|^\/admin\/.*\{(account|key|voice)_id\}/;

/** The refusals of the hooks, read from their code. */
export interface Hooks {
  apiKey: Behaviour;
  service: Behaviour;
  staff: Behaviour;
  /** Of routes for keys: one that takes no token refuses it. */
  token: Behaviour;
  /** Of routes for keys. */
  limit: Behaviour;
  /** Of routes that generate. */
  generation: Behaviour;
}

/** The refusals that a route can give, by status. */
export function refusalsOf(
  operation: Operation,
  behaviour: Behaviour,
  hooks: Hooks,
): Map<number, ErrorCode[]> {
  const unsafe = !['GET', 'HEAD'].includes(operation.method);
  const codes = new Set([
    ...ALWAYS,
    ...(unsafe ? WITH_BODY : []),
    ...(CAN_BE_OFF.test(operation.path) ? (['not_found'] as const) : []),
    ...(IN_A_CELL.test(operation.path) ? (['other_cell'] as const) : []),
    ...hookCodes(operation, hooks, unsafe),
    ...behaviour.codes,
  ]);
  // Recorded for a client that has closed its connection: none receives it.
  codes.delete('client_gone');
  const statuses = new Set([...codes].map((code): number => ERRORS[code].httpStatus));
  if (behaviour.validates) statuses.add(422);
  const at = (status: number) => [...codes].filter((code) => ERRORS[code].httpStatus === status).sort();
  return new Map([...statuses].sort((a, b) => a - b).map((status) => [status, at(status)]));
}

function hookCodes(
  operation: Operation,
  { apiKey, service, staff, ...others }: Hooks,
  unsafe: boolean,
): ErrorCode[] {
  const { access, path } = operation;
  const codes = new Set<ErrorCode>(isStaffPath(path) && unsafe ? ['cross_site_request'] : []);
  if (access === 'public') return [...codes];
  if (access === 'service') return [...service.codes];
  if (typeof access === 'string') {
    for (const behaviour of [apiKey, ...behavioursOf(operation, others)])
      behaviour.codes.forEach((code) => codes.add(code));
    if (access === 'any_key') codes.delete('insufficient_permissions');
    return [...codes];
  }
  staff.codes.forEach((code) => codes.add(code));
  if (isStaffCreation(operation)) codes.add('idempotency_key_reused').add('idempotency_key_claimed');
  if (!unsafe) codes.delete('cross_site_request');
  const isFirst = access.before === 'anything';
  if (isFirst || access.before === 'password') codes.delete('password_change_required');
  if (access.before !== undefined) codes.delete('second_factor_setup_required');
  if (isFirst || access.before === 'passkey') codes.delete('passkey_required');
  if (!access.confirmed) codes.delete('sign_in_confirmation_required');
  if (access.staff === 'signed_in') codes.delete('staff_permission_missing');
  return [...codes];
}

/** What else stands before a route for keys. */
export function behavioursOf(
  { access, generates }: Operation,
  { token, limit, generation }: Pick<Hooks, 'token' | 'limit' | 'generation'>,
): Behaviour[] {
  if (typeof access !== 'string' || access === 'public' || access === 'service') return [];
  return [token, limit, ...(generates ? [generation] : [])];
}

/** Name and content of the response with one of some refusals; the same for every route that can give the same ones. */
export function toRefusalResponse(
  status: number,
  codes: ErrorCode[],
  { staff, validates }: { staff: boolean; validates: boolean },
): { name: string; response: ResponseObject } {
  const listed = validates && status === 422;
  const all = staff && listed ? ['invalid_input', ...codes] : codes;
  const name = [
    staff ? 'Problem' : 'Error',
    status,
    ...(listed && !staff ? ['validation'] : []),
    ...all,
  ].join('.');
  const schema = staff ? problemSchema(all) : refusalSchema(codes, listed);
  const mediaType = staff ? 'application/problem+json' : 'application/json';
  const lines = codes.map((code) => `- \`${code}\`: ${exampleOf(code).message}`);
  if (listed)
    lines.unshift(
      staff ? '- `invalid_input`: see `errors`.' : '- A list of everything that is wrong with the input.',
    );
  return {
    name,
    response: {
      description: lines.join('\n'),
      headers: headersOf(['x-request-id', ...headersAt(status)]),
      content: { [mediaType]: { schema, ...examplesOf(codes, staff) } },
    },
  };
}

function refusalSchema(codes: ErrorCode[], listed: boolean): JsonSchema {
  const refusal: JsonSchema = {
    allOf: [
      { $ref: '#/components/schemas/ErrorBody' },
      {
        type: 'object',
        properties: { detail: { type: 'object', properties: { code: { type: 'string', enum: codes } } } },
      },
    ],
  };
  if (!listed) return refusal;
  const validation = { $ref: '#/components/schemas/ValidationErrorBody' };
  return codes.length === 0 ? validation : { anyOf: [validation, refusal] };
}

function problemSchema(codes: string[]): JsonSchema {
  return {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties: { code: { type: 'string', enum: codes } } },
    ],
  };
}

function examplesOf(codes: ErrorCode[], staff: boolean): { examples?: Record<string, object> } {
  if (codes.length === 0) return {};
  return {
    examples: Object.fromEntries(
      codes.map((code) => [code, { value: staff ? exampleProblem(code) : exampleRefusal(code) }]),
    ),
  };
}

const REQUEST_ID = '7f3c0b6a9d5e4c1f8a2b3c4d5e6f7081';

function exampleRefusal(code: ErrorCode): object {
  return toErrorBody(exampleOf(code), REQUEST_ID).body;
}

function exampleProblem(code: ErrorCode): object {
  return toProblem(exampleOf(code), { id: REQUEST_ID, method: 'GET' }).body;
}

/** The refusal with its placeholders instead of what stands there in truth, and without the parts that only some have. */
function exampleOf(code: ErrorCode): DomainError {
  const names = [...ERRORS[code].message.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return toError({ code, params: Object.fromEntries(names.map((name) => [name, `{${name}}`])) });
}

function headersAt(status: number): string[] {
  if (status === 401) return ['www-authenticate'];
  if (status === 416) return ['content-range'];
  return status === 429 || status === 503 ? ['retry-after'] : [];
}
