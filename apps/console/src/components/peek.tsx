import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** A row of a list in full, over its right side: the list keeps its place, and J and K go on to the next. */
export function Peek(props: {
  label: string;
  onMove: (step: 1 | -1) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const { label, onMove, onClose, children } = props;
  const button = (text: string, act: () => void, key: string) => (
    <Button size="compact-xs" variant="default" onClick={act} aria-keyshortcuts={key}>
      {text}
    </Button>
  );
  return (
    <aside className="gr-peek" aria-label={label}>
      <Group gap={4} justify="flex-end">
        {button('Previous', () => onMove(-1), 'k')}
        {button('Next', () => onMove(1), 'j')}
        {button('Close', onClose, 'Escape')}
      </Group>
      {children}
    </aside>
  );
}
