import { Button, Checkbox, Popover, Stack, Switch } from '@mantine/core';

export interface TableSetting {
  hidden: string[];
  dense: boolean;
}

export interface TableSettingsProps {
  columns: readonly { id: string; header: string }[];
  setting: TableSetting;
  onChange: (setting: TableSetting) => void;
}

export function ColumnsMenu({ columns, setting: { hidden, dense }, onChange }: TableSettingsProps) {
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button size="compact-sm" variant="subtle">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {columns.slice(1).map(({ id, header }) => (
            <Checkbox
              key={id}
              label={header}
              checked={!hidden.includes(id)}
              onChange={(event) => {
                const others = hidden.filter((other) => other !== id);
                onChange({ dense, hidden: event.currentTarget.checked ? others : [...others, id] });
              }}
            />
          ))}
          <Switch
            label="Rows close together"
            checked={dense}
            onChange={(event) => onChange({ hidden, dense: event.currentTarget.checked })}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
