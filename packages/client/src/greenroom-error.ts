import type { components } from './schema.js';

type Schema = components['schemas'];

/** Everything but success: a refusal, a change that waits for a second person, or no response at all. */
export class GreenroomError extends Error {
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  /** What programs should look at: `account_not_found`, `change_waits`, `unreachable`, … */
  readonly code: string;
  /** Names the request in logs and in the audit log. */
  readonly requestId: string | null;
  /** When the same request may succeed. */
  readonly retryAfterSecs: number | null;
  /** What is wrong with the input, part by part. */
  readonly parts: Schema['ProblemPart'][];
  /** What waits, with the code `change_waits`: nothing has been changed yet. */
  readonly approval: Schema['ApprovalResponse'] | null;

  /**
   * @param body of the staff API (RFC 9457) or of the others (`{ detail: { code, message } }`)
   * @param cause why there was no response
   */
  constructor(
    status: number,
    headers: Pick<Headers, 'get'>,
    body: unknown,
    options?: { message?: string; cause?: unknown },
  ) {
    const problem = readProblem(body);
    super(options?.message ?? problem.message ?? `Greenroom has responded ${status}`, options);
    this.name = 'GreenroomError';
    this.status = status;
    this.code = problem.code ?? (status === 0 ? 'unreachable' : `http_${status}`);
    this.requestId = problem.requestId ?? headers.get('x-request-id');
    this.retryAfterSecs = retryAfterOf(headers);
    this.parts = problem.parts;
    this.approval = problem.approval;
  }
}

/** Seconds of a `Retry-After`; null for none, and for one that is a date. */
export function retryAfterOf(headers: Pick<Headers, 'get'>): number | null {
  const text = headers.get('retry-after');
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

interface Problem {
  code?: string;
  message?: string;
  requestId?: string;
  parts: Schema['ProblemPart'][];
  approval: Schema['ApprovalResponse'] | null;
}

function readProblem(body: unknown): Problem {
  const { detail, code, request_id, errors, approval } = (body ?? {}) as Partial<Schema['Problem']> & {
    detail?: unknown;
    approval?: Schema['ApprovalResponse'];
  };
  if (approval)
    return {
      code: 'change_waits',
      message: `The change waits for a second person (approval ${approval.id})`,
      parts: [],
      approval,
    };
  if (typeof detail === 'string')
    return { code, message: detail, requestId: request_id, parts: errors ?? [], approval: null };
  if (Array.isArray(detail)) return readWireProblems(detail as WireProblem[]);
  const { code: own, message, request_id: id } = (detail ?? {}) as Partial<Schema['ErrorBody']['detail']>;
  return { code: own, message, requestId: id, parts: [], approval: null };
}

interface WireProblem {
  loc: (string | number)[];
  msg: string;
  input?: unknown;
}

function readWireProblems(problems: WireProblem[]): Problem {
  const parts = problems.map(({ loc, msg, input }) => ({
    pointer: `#/${loc.slice(1).join('/')}`,
    message: msg,
    given: input,
  }));
  const message = problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return { code: 'invalid_parameters', message, parts, approval: null };
}
