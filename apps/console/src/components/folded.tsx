import { Box, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';

/** What not every reader needs: read and shown once it is opened. */
export function Folded({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <Box component="summary" c="var(--accent)" style={{ cursor: 'pointer' }}>
        {summary}
      </Box>
      {isOpen && <Stack mt="sm">{children}</Stack>}
    </details>
  );
}
