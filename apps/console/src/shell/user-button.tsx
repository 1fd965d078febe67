import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useMe } from '../api/client';

/** Who is signed in; it opens the menu of what concerns only them. */
export function UserButton(props: ButtonProps & ComponentProps<'button'>) {
  const { name } = useMe();
  return (
    <Button variant="subtle" lh={1.5} justify="flex-start" fullWidth {...props}>
      <bdi className="gr-cut">{name}</bdi>
    </Button>
  );
}
