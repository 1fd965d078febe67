import { Stack } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { DataTable, type DataTableProps } from './data-table';
import { FilterBar } from './filter-bar';
import { filtersOf, type CountOf } from './list-search';
import { SavedViews } from './saved-views';
import { SelectionBar } from './selection';

export function FilteredList<T>(
  props: DataTableProps<T> & {
    views?: Omit<ComponentProps<typeof SavedViews>, 'list' | 'countOf'>;
    countOf?: CountOf;
    bulk?: ReactNode;
    /** Whether they may concern all that match: only a list that is narrowed is changed as a whole. */
    bulkOnAll?: boolean;
  },
) {
  const { views, countOf, bulk, bulkOnAll = true, ...table } = props;
  const { list, query, selection } = table;
  return (
    <Stack gap="sm">
      <FilterBar list={list} />
      {views && <SavedViews list={list} countOf={countOf} {...views} />}
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
