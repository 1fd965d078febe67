import { Box } from '@mantine/core';
import type { ReactNode } from 'react';

/** The sentence that answers what a screen was opened for; `children` are the numbers behind it. */
export function Answer({ sentence, children }: { sentence: ReactNode; children?: ReactNode }) {
  return (
    <Box className="gr-answer" role="status" maw="86ch">
      <p>{sentence}</p>
      {children !== undefined && <div className="gr-dimmed">{children}</div>}
    </Box>
  );
}
