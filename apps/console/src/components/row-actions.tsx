import { Button, Group, Menu, type ButtonProps } from '@mantine/core';

type Actions<Name extends string> = readonly (readonly [Name, label: string, disabled?: boolean])[];

/** What can be done with a row, as buttons; `of` is the row, for those who cannot see it. */
export function RowActions<Name extends string>({
  actions,
  of,
  onPick,
}: {
  actions: Actions<Name>;
  of: string;
  onPick: (name: Name) => void;
}) {
  return (
    <Group gap={4}>
      {actions.map(([name, label]) => (
        <Button
          key={name}
          size="compact-xs"
          variant="default"
          aria-label={`${label.replace('…', '')} ${of}`}
          onClick={() => onPick(name)}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}

/** What can be done with what is on the screen, in a menu. */
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
