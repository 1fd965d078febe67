import { Button, Group } from '@mantine/core';
import { useEffect } from 'react';
import { ChangeWaits, otherParts, toProblem } from '../api/problem';
import { refresh } from '../api/query-client';
import { Banner } from './banner';

/**
 * A refusal, in the server's words. `fields` are shown at their inputs and left out here; `onRetry` offers to try again.
 */
export function ProblemBanner({
  error,
  fields = [],
  onRetry,
}: {
  error: unknown;
  fields?: readonly string[];
  onRetry?: () => void;
}) {
  if (!error) return null;
  if (error instanceof ChangeWaits) return <WaitsBanner text={error.message} />;
  const problem = toProblem(error);
  const rest = otherParts(problem, fields);
  const isAtFields = problem.code === 'invalid_input' && problem.parts.length > 0 && rest.length === 0;
  return (
    <Banner tone="bad" alert>
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
      {/* What does not exist does not come to exist by asking again. */}
      {problem.status !== 404 && (onRetry || problem.requestId) && (
        <Group gap="sm" mt={6}>
          {onRetry && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {problem.requestId && <span className="gr-mono">Request {problem.requestId}</span>}
        </Group>
      )}
    </Banner>
  );
}

/** That what was requested waits for a second person: no refusal, and not done yet. */
function WaitsBanner({ text }: { text: string }) {
  useEffect(() => void refresh(['approvals']), []);
  return (
    <Banner tone="info" alert title="Waits for a second person">
      {text}
    </Banner>
  );
}
