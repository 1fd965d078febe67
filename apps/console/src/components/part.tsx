import { Button, Group } from '@mantine/core';
import { CatchBoundary, type ErrorComponentProps } from '@tanstack/react-router';
import { Suspense, type ReactNode } from 'react';
import { PartMissing } from '../api/fetch-part';
import { Banner, ProblemBanner } from './banner';

/** A part of a screen that may have to be fetched first. When that or the part itself fails, the rest of the screen stays. */
export function Part({ waiting = null, children }: { waiting?: ReactNode; children: ReactNode }) {
  return (
    <CatchBoundary getResetKey={() => 'part'} errorComponent={PartProblem}>
      <Suspense fallback={waiting}>{children}</Suspense>
    </CatchBoundary>
  );
}

export function PartProblem({ error, reset }: Pick<ErrorComponentProps, 'error' | 'reset'>) {
  if (error instanceof PartMissing && error.release === 'replaced') return <ReloadBanner />;
  const again = async () => {
    if (error instanceof PartMissing) await error.again?.();
    reset();
  };
  return <ProblemBanner error={error} onRetry={() => void again()} />;
}

export function ReloadBanner() {
  return (
    <Banner tone="info" alert title="A newer release of Greenroom has been installed.">
      What you have typed here is lost when the page is reloaded. What was open already still works until
      then.
      <Group mt="xs">
        <Button size="compact-sm" onClick={() => window.location.reload()}>
          Reload the page
        </Button>
      </Group>
    </Banner>
  );
}
