import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';

/** What changes in the body, what describes it at the side; below it where there is little room. */
export function Split({
  side,
  alone = false,
  children,
}: {
  side: ReactNode;
  /** Nothing is in the body yet: the side has all the room, and stays what it is once there is. */
  alone?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={alone ? undefined : 'gr-split'}>
      <Stack>{children}</Stack>
      <Stack component="aside">{side}</Stack>
    </div>
  );
}
