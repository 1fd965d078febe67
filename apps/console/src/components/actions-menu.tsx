import { Button, Menu, type ButtonProps } from '@mantine/core';
import type { Actions } from './row-actions';

export function ActionsMenu<Name extends string>({
  actions,
  onPick,
  ...props
}: ButtonProps & { 'aria-label'?: string; actions: Actions<Name>; onPick: (name: Name) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" {...props}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(([name, label, disabled]) => (
          <Menu.Item key={name} disabled={disabled} onClick={() => onPick(name)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
