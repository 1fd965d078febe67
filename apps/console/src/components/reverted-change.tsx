import { Button, Group } from '@mantine/core';
import { createStore } from '../api/store';
import { Name } from './inline';
import { ProblemBanner } from './banner';

/** A change that was shown at once, and refused after its screen had been left. */
interface RevertedChange {
  title: string;
  of: string | null;
  error: unknown;
}

const last = createStore<RevertedChange | null>(null);

export const reportReverted = last.set;

/** Says on whichever screen is open what was refused, and why. */
export function RevertedNotice() {
  const change = last.use();
  if (change === null) return null;
  return (
    <Group gap="4px 12px" pt="md">
      <strong>
        Not done: {change.title}
        {change.of !== null && (
          <>
            , <Name>{change.of}</Name>
          </>
        )}
        .
      </strong>
      <ProblemBanner error={change.error} />
      <Button size="compact-sm" variant="default" onClick={() => reportReverted(null)}>
        Understood
      </Button>
    </Group>
  );
}
