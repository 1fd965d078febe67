import { inLocalTimes } from '@app/domain/common/date-text';
import type { components } from '@api/schema';

export type ProblemPart = components['schemas']['ProblemPart'];

/** A refusal of the staff API, or what the browser found out: no response, or a response of another server. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  /** Why a change has to be confirmed; empty for every other refusal. */
  readonly reasons: string;
  readonly parts: ProblemPart[];
  readonly requestId: string | null;

  constructor(status: number, body: unknown) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Partial<ProblemBody>;
    super(inLocalTimes(problem.detail ?? fallbackText(status)));
    this.name = 'ApiProblem';
    this.status = status;
    this.code = problem.code ?? (status === 0 ? 'unreachable' : 'unknown');
    this.reasons = inLocalTimes(problem.reasons ?? '');
    this.parts = (problem.errors ?? []).map((part) => ({ ...part, message: inLocalTimes(part.message) }));
    this.requestId = problem.request_id ?? null;
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

/** In place of a result: nothing has changed yet, and the change waits for a second person. */
export class ChangeWaits extends ApiProblem {
  constructor() {
    super(202, {
      code: 'change_waits',
      detail: 'Nothing has changed yet: a second person has to approve this.',
    });
  }
}

interface ProblemBody {
  detail: string;
  code: string;
  request_id: string;
  reasons: string;
  errors: ProblemPart[];
}

function fallbackText(status: number): string {
  return status === 0
    ? 'The server cannot be reached. Check the connection; what you have typed is still here.'
    : `The server responded with status ${status} and no explanation.`;
}

/** What was wrong with a field of the body, by its JSON pointer without `#/`: `name`, `entries/0/ends_at`. */
export function fieldProblem(problem: unknown, field: string): string | undefined {
  if (!(problem instanceof ApiProblem)) return undefined;
  const part = problem.parts.find(
    ({ pointer, parameter }) => pointer === `#/${field}` || parameter === field,
  );
  return part && asSentence(part.message);
}

/** `should be a number` as `This should be a number.` */
function asSentence(text: string): string {
  const whole = text
    .replace(/^(?:Input|String|List|Dictionary) (?=should)/, 'This ')
    .replace(/^(?=\p{Ll})/u, 'This ');
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

export function otherParts(problem: ApiProblem, fields: readonly string[]): ProblemPart[] {
  return problem.parts.filter(
    ({ pointer, parameter }) => !fields.includes(pointer?.replace(/^#\//, '') ?? parameter ?? ''),
  );
}

export function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiProblem(-1, { detail, code: 'console_error' });
}
