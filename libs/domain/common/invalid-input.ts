/** What is wrong with one part of an input. */
export interface InputProblem {
  type: string;
  /** The way into the input; empty for the input itself. */
  path: (string | number)[];
  msg: string;
  /** The input. */
  input: unknown;
  /** The bound or the values that are accepted. */
  ctx?: Record<string, unknown>;
}

/** An input that the rules do not accept, with every problem found. */
export class InvalidInput extends Error {
  constructor(readonly problems: InputProblem[]) {
    super(problems.map(({ path, msg }) => `${path.join('.')}: ${msg}`).join('; '));
    this.name = 'InvalidInput';
  }
}
