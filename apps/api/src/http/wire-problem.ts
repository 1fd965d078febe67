/** One entry of a 422 answer, in the shape the wire contract's clients parse. */
export interface WireProblem {
  type: string;
  loc: (string | number)[];
  msg: string;
  input: unknown;
  ctx?: Record<string, unknown>;
}

/** A body or query that does not have the declared form: 422 with every problem found. */
export class ValidationProblem extends Error {
  constructor(readonly problems: WireProblem[]) {
    super(problems.map((problem) => `${problem.loc.join('.')}: ${problem.msg}`).join('; '));
    this.name = 'ValidationProblem';
  }
}
