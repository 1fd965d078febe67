import { Button, Group } from '@mantine/core';
import { useState, type ComponentProps, type ReactNode } from 'react';
import { ActionDialog, type Closing } from './action-dialog';

/** Something that can be done with an object: what its dialog says, or the dialog where it has fields, or what happens elsewhere. */
export type Action = {
  /** Of its button; the title of the dialog, unless it says more. */
  label?: string;
  isHidden?: boolean;
  isDisabled?: boolean;
} & (
  | Omit<ComponentProps<typeof ActionDialog>, 'of' | 'onClose'>
  | { label: string; dialog: (props: Closing & { begin?: string }) => ReactNode }
  | { label: string; onPick: () => void }
);

export interface ActionsProps {
  /** The name of the object. */
  of: string;
  actions: Record<string, Action>;
}

export const labelOf = (action: Action): string =>
  action.label ?? ('title' in action ? `${action.title}…` : '');

export const shownOf = (actions: ActionsProps['actions']) =>
  Object.entries(actions).filter(([, { isHidden }]) => !isHidden);

export function OpenAction(props: ActionsProps & Closing & { name: string | null; begin?: string }) {
  const { of, actions, name, begin, onClose } = props;
  const action = name !== null && actions[name];
  if (!action || 'onPick' in action) return null;
  if ('dialog' in action) return action.dialog({ onClose, begin });
  return <ActionDialog {...action} of={of} onClose={onClose} />;
}

/** What can be done with a row, a button each; `named` is the row for those who cannot see it. */
export function RowActions({ of, named = of, actions }: ActionsProps & { named?: string }) {
  const [name, open] = useState<string | null>(null);
  return (
    <Group gap={4} data-at-rest>
      {shownOf(actions).map(([each, action]) => (
        <Button
          key={each}
          size="compact-xs"
          variant="default"
          aria-label={`${labelOf(action).replace('…', '')} ${named}`}
          onClick={() => ('onPick' in action ? action.onPick() : open(each))}
        >
          {labelOf(action)}
        </Button>
      ))}
      <OpenAction {...{ of, actions, name }} onClose={() => open(null)} />
    </Group>
  );
}
