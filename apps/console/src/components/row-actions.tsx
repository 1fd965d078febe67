import { Button, Group } from '@mantine/core';

export type Actions<Name extends string> = readonly (readonly [Name, label: string, disabled?: boolean])[];

export function RowActions<Name extends string>(props: {
  actions: Actions<Name>;
  of: string;
  onPick: (name: Name) => void;
}) {
  const { actions, of, onPick } = props;
  return (
    <Group gap={4} data-at-rest>
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
