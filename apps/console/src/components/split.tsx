import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';

/** What changes in the body, what describes it at the side; below it where there is little room. */
export function Split({ side, children }: { side: ReactNode; children: ReactNode }) {
  return (
    <div className="gr-split">
      <Stack>{children}</Stack>
      <Stack component="aside">{side}</Stack>
    </div>
  );
}
