import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ComponentProps, ReactNode } from 'react';
import { ActionDialog } from './action-dialog';

/** A button that opens something over the page, such as a dialog. */
export function OpenButton(
  props: Pick<ButtonProps, 'size' | 'variant' | 'disabled'> & {
    'aria-label'?: string;
    label: ReactNode;
    children: (close: () => void) => ReactNode;
  },
) {
  const { label, children, ...button } = props;
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      {isOpen && children(close)}
    </>
  );
}

export function ActionButton(
  props: Omit<ComponentProps<typeof ActionDialog>, 'onClose' | 'disabled'> &
    Pick<ButtonProps, 'size' | 'disabled'> & {
      label: string;
      /** Of the button, for those who cannot see what is beside it. */
      name?: string;
    },
) {
  const { label, name, size = 'compact-sm', disabled, ...dialog } = props;
  return (
    <OpenButton label={label} aria-label={name} size={size} disabled={disabled}>
      {(close) => <ActionDialog {...dialog} onClose={close} />}
    </OpenButton>
  );
}
