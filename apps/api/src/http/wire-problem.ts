import type { InputProblem } from '@app/domain/common/invalid-input';

/** One entry of a 422 response, in the shape the wire contract's clients parse. */
export interface WireProblem {
  type: string;
  /** Where it stands: `body`, `query`, `path` or `header`, then the way into it. */
  loc: (string | number)[];
  msg: string;
  /** The input. */
  input: unknown;
  /** The bound or the values that are accepted. */
  ctx?: Record<string, unknown>;
}

/** What is wrong with a body or query: a refusal of the public API. */
export interface ValidationErrorBody {
  detail: WireProblem[];
}

/** A body or query that does not have the declared form: 422 with every problem found. */
export class ValidationProblem extends Error {
  constructor(readonly problems: WireProblem[]) {
    super(problems.map((problem) => `${problem.loc.join('.')}: ${problem.msg}`).join('; '));
    this.name = 'ValidationProblem';
  }
}

/** A refusal of what stands in one part of a request. */
export function invalid(
  part: 'body' | 'query' | 'path' | 'header',
  ...problems: InputProblem[]
): ValidationProblem {
  return new ValidationProblem(problems.map(({ path, ...rest }) => ({ ...rest, loc: [part, ...path] })));
}
