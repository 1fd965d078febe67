import { Button, Group } from '@mantine/core';
import { otherParts, toProblem } from '../api/problem';
import { Notice } from './notice';

/**
 * A refusal, in the server's words. `fields` are shown at their inputs and left out here; `onRetry` offers to try again.
 */
export function ProblemNotice({
  error,
  fields = [],
  onRetry,
}: {
  error: unknown;
  fields?: readonly string[];
  onRetry?: () => void;
}) {
  if (!error) return null;
  const problem = toProblem(error);
  const rest = otherParts(problem, fields);
  const isAtFields = problem.code === 'invalid_input' && problem.parts.length > 0 && rest.length === 0;
  return (
    <Notice tone="bad" alert>
      {isAtFields ? 'Nothing was saved. See the fields that are marked.' : problem.message}
      {rest.length > 0 && problem.parts.length > 1 && (
        <ul>
          {rest.map(({ pointer, parameter, message }) => (
            <li key={`${pointer ?? parameter} ${message}`}>
              {pointer?.replace(/^#\//, '') ?? parameter}: {message}
            </li>
          ))}
        </ul>
      )}
      {(onRetry || problem.requestId) && (
        <Group gap="sm" mt={6}>
          {onRetry && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {problem.requestId && <span className="gr-mono">Request {problem.requestId}</span>}
        </Group>
      )}
    </Notice>
  );
}
