import { capitalised, humanize, sentence } from '@app/domain/common/sentences';
import { readTypedNumber } from '@app/domain/common/typed-number';
import { DomainError } from '@app/domain/errors';
import { toErrorBody } from './error-body';
import { ValidationProblem, type WireProblem } from './wire-problem';

/** Everything under this path is for staff: its errors are problem documents, its routes need a session. */
const STAFF_PATH = /^\/admin(?=[/?]|$)/;

const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** A refusal of the staff API (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  /** One sentence about this occurrence. */
  detail: string;
  code: string;
  request_id: string;
  /** Why a change has to be confirmed, in sentences. */
  reasons?: string;
  /** What is wrong with the input, part by part. */
  errors?: ProblemPart[];
}

export interface ProblemPart {
  /** JSON pointer into the body (RFC 6901), as a URI fragment. */
  pointer?: string;
  /** Name of a query parameter. */
  parameter?: string;
  given?: unknown;
  accepted?: string;
  message: string;
}

export function isStaffPath(url: string): boolean {
  return STAFF_PATH.test(url);
}

/** The response of the staff API to a refusal: status, headers and body. */
export function toProblem(
  error: DomainError | ValidationProblem,
  request: { id: string; method: string },
): { status: number; headers: Record<string, string>; body: Problem } {
  return error instanceof ValidationProblem ? ofValidation(error, request.id) : ofRefusal(error, request);
}

function ofRefusal(error: DomainError, { id, method }: { id: string; method: string }) {
  const { status, headers } = toErrorBody(error, id);
  const { param } = error.options;
  const place = param && (method === 'GET' ? { parameter: param } : { pointer: toPointer([param]) });
  return {
    status,
    headers: {
      ...headers,
      ...(status === 401 && { 'www-authenticate': 'Session realm="greenroom staff"' }),
      'content-type': PROBLEM_MEDIA_TYPE,
    },
    body: {
      ...base(error.code, status, error.message, id),
      ...(error.code === 'confirmation_required' && { reasons: String(error.params.reasons) }),
      ...(place && { errors: [{ ...place, message: error.message }] }),
    },
  };
}

function ofValidation({ problems }: ValidationProblem, requestId: string) {
  const parts = problems.map(toPart);
  const first = parts[0];
  const where = first?.pointer ?? first?.parameter ?? 'the request';
  const more = parts.length > 1 ? ` And ${parts.length - 1} more, see errors.` : '';
  return {
    status: 422,
    headers: { 'content-type': PROBLEM_MEDIA_TYPE },
    body: {
      ...base(
        'invalid_input',
        422,
        `${where}: ${sentence(first?.message ?? 'not accepted')}${more}`,
        requestId,
      ),
      errors: parts,
    },
  };
}

function base(code: string, status: number, detail: string, requestId: string): Problem {
  return {
    type: `urn:greenroom:problem:${code}`,
    title: capitalised(humanize(code)),
    status,
    detail,
    code,
    request_id: requestId,
  };
}

/** Fields whose value is never sent back. */
const CONFIDENTIAL = /password|secret|^code$|token/i;
const MAX_INPUT_LENGTH = 200;

function toPart({ loc, msg, input, type, ctx }: WireProblem): ProblemPart {
  const [place, ...path] = loc;
  const said = msg.replace(/^Input should be/, 'should be').replace(/^Field required$/, 'is required');
  const message = NUMBER_TYPES.includes(type) && typeof input === 'string' ? withReadings(said, input) : said;
  const accepted = acceptedOf(msg, ctx);
  return {
    ...(place === 'body' ? { pointer: toPointer(path) } : { parameter: path.join('.') }),
    ...(type !== 'missing' &&
      !path.some((step) => CONFIDENTIAL.test(String(step))) && { given: shorten(input) }),
    ...(accepted !== undefined && { accepted }),
    message,
  };
}

/** Forms send a text that they could not read as a number, so that it is refused here. */
const NUMBER_TYPES = ['int_type', 'float_type'];

function withReadings(message: string, typed: string): string {
  const read = readTypedNumber(typed.slice(0, MAX_INPUT_LENGTH));
  return 'problem' in read ? `${message}: ${read.problem}` : message;
}

function acceptedOf(msg: string, ctx: Record<string, unknown> = {}): string | undefined {
  const requested = ctx.accepted ?? ctx.expected;
  if (typeof requested === 'string') return requested;
  return /^(?:Input|String|List|Dictionary) should (?:be |have )(.+)$/.exec(msg)?.[1];
}

/** RFC 6901 in the form of section 6: a fragment. */
function toPointer(path: (string | number)[]): string {
  const steps = path.map((step) =>
    encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  return ['#', ...steps].join('/');
}

function shorten(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= MAX_INPUT_LENGTH ? value : `${text.slice(0, MAX_INPUT_LENGTH)}…`;
}
