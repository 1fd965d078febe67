import { InvalidInput, type InputProblem } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import { toServiceUnavailable } from './unavailable';
import { ValidationProblem } from './wire-problem';

const MAX_PROBLEMS = 5;
const MAX_SHOWN = 100;

/** Any error as one refusal, where there is no response that could have a list of problems. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (error instanceof InvalidInput) return invalidParameters(error.problems);
  if (error instanceof ValidationProblem)
    return invalidParameters(
      error.problems.map(({ loc, ...problem }) => ({ ...problem, path: loc.slice(1) })),
    );
  return toServiceUnavailable(error) ?? new DomainError('internal_error', {}, { cause: error });
}

function invalidParameters(problems: InputProblem[]): DomainError {
  const sentences = problems.slice(0, MAX_PROBLEMS).map(({ path, msg, input }) => {
    const shown = (JSON.stringify(input) ?? 'nothing').slice(0, MAX_SHOWN);
    return `${path.join('.') || 'The input'}: ${msg}; given: ${shown}`;
  });
  return new DomainError('invalid_parameters', { reason: sentences.join('. ') });
}
