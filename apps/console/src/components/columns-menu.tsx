import { Checkbox, Popover, Stack, Switch } from '@mantine/core';
import type { ReactElement } from 'react';

export interface TableSetting {
  hidden: string[];
  dense: boolean;
}

export interface TableSettingsProps {
  columns: readonly { id: string; header: string }[];
  setting: TableSetting;
  onChange: (setting: TableSetting) => void;
}

export function ColumnsMenu(props: TableSettingsProps & { target: ReactElement }) {
  const { target, columns, setting, onChange } = props;
  const { hidden, dense } = setting;
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>{target}</Popover.Target>
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
