import { Button } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { Name } from './name';
import { ProblemBanner } from './problem-banner';

/** A change that was shown at once, and refused after its screen had been left. */
interface TakenBack {
  title: string;
  of: string | null;
  error: unknown;
}

let last: TakenBack | null = null;
let listener = (): void => undefined;

export function reportTakenBack(change: TakenBack | null): void {
  last = change;
  listener();
}

const subscribe = (next: () => void) => {
  listener = next;
  return () => (listener = () => undefined);
};

/** Says on whichever screen is open what was refused, and why. */
export function TakenBackNotice() {
  const change = useSyncExternalStore(subscribe, () => last);
  if (change === null) return null;
  return (
    <div className="gr-taken-back">
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
      <Button size="compact-sm" variant="default" onClick={() => reportTakenBack(null)}>
        Understood
      </Button>
    </div>
  );
}
