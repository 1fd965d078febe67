import { Stack } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { DataTable, type DataTableProps } from './data-table';
import { FilterBar } from './filter-bar';
import { filtersOf } from './list-search';
import { SavedViews } from './saved-views';
import { SelectionBar } from './selection';

/** A list with what it is narrowed to above it, and what can be done with the rows that are selected. */
export function FilteredList<T>(
  props: DataTableProps<T> & {
    /** The views of it that are stored, and its presets. */
    views?: Omit<ComponentProps<typeof SavedViews>, 'list'>;
    bulk?: ReactNode;
    /** Whether they may concern all that match: only a list that is narrowed is changed as a whole. */
    bulkOnAll?: boolean;
  },
) {
  const { views, bulk, bulkOnAll = true, ...table } = props;
  const { list, query, selection } = table;
  return (
    <Stack gap="sm">
      <FilterBar list={list} />
      {views && <SavedViews list={list} {...views} />}
      {selection && bulk !== undefined && (
        <SelectionBar
          selection={selection}
          shown={query.data?.items.length ?? 0}
          total={query.data?.total}
          canSelectAll={bulkOnAll && Object.keys(filtersOf(list.query)).length > 0}
        >
          {bulk}
        </SelectionBar>
      )}
      <DataTable {...table} />
    </Stack>
  );
}
