import { Button } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { lazyScreen } from '../api/lazy-screen';
import type { TableSetting, TableSettingsProps } from './columns-menu';
import { Late } from './late';

const ColumnsMenu = lazyScreen(() => import('./columns-menu'), 'ColumnsMenu');

/** Which columns of a table its reader wants to see, and how close its rows stand; stored in this browser. */
export function useTableSetting(table: string) {
  return useLocalStorage<TableSetting>({
    key: `greenroom.table.${table}`,
    defaultValue: { hidden: [], dense: true },
    getInitialValueInEffect: false,
  });
}

export function TableSettings(props: TableSettingsProps) {
  const button = (
    <Button size="compact-sm" variant="subtle">
      Columns
    </Button>
  );
  return (
    <Late button={button} opens="dialog">
      {(target) => <ColumnsMenu {...props} target={target} />}
    </Late>
  );
}
