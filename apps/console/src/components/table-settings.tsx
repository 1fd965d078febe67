import { Button, Checkbox, Popover, Stack, Switch } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';

interface TableSetting {
  /** Ids of columns. */
  hidden: string[];
  dense: boolean;
}

/** Which columns of a table its reader wants to see, and how close its rows stand; kept in this browser. */
export function useTableSetting(table: string) {
  return useLocalStorage<TableSetting>({
    key: `greenroom.table.${table}`,
    defaultValue: { hidden: [], dense: false },
    getInitialValueInEffect: false,
  });
}

export function TableSettings({
  columns,
  setting: { hidden, dense },
  onChange,
}: {
  columns: readonly { id: string; header: string }[];
  setting: TableSetting;
  onChange: (setting: TableSetting) => void;
}) {
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
