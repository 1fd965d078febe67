import { Box } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef, type ComponentProps, type ReactNode } from 'react';
import { Empty, Loaded } from './page';

export interface SimpleColumn<T> {
  header: ReactNode;
  cell: (row: T) => ReactNode;
  number?: boolean;
  /** Only where there is room for it: not on phones, or only in a window of some 1,400 px. */
  wide?: 'tablet' | 'desk';
  className?: string;
}

export const ownId = (row: unknown): string => (row as { id: string }).id;

export function SimpleTable<T>(props: {
  name: string;
  caption?: boolean;
  /** Rows become cards where there is little room. */
  stacks?: boolean;
  rows: readonly T[];
  rowId?: (row: T) => string;
  columns: readonly (SimpleColumn<T> | false | null | undefined)[];
  /** Why there are no rows, in place of the table. */
  empty?: readonly [title: string, text?: string];
  current?: string;
}) {
  const { name, caption = false, stacks = true, rows, rowId = ownId, columns, empty, current } = props;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    row.current?.scrollIntoView({ block: 'center' });
  }, [current]);
  if (empty && rows.length === 0) return <Empty title={empty[0]}>{empty[1]}</Empty>;
  const shown = columns.filter((column) => Boolean(column)) as SimpleColumn<T>[];
  return (
    <div className="gr-scroll" role="region" aria-label={`${name}, the table`} tabIndex={0}>
      <table className={stacks ? 'gr-table gr-stacks' : 'gr-table'} aria-label={name}>
        {caption && (
          <Box component="caption" pt={8} pb={4} ta="left" fw={600}>
            {name}
          </Box>
        )}
        <thead>
          <tr>
            {shown.map(({ header, number, wide }, place) =>
              header === '' ? (
                <td key={place} />
              ) : (
                <th key={place} data-wide={wide} className={number ? 'gr-number' : undefined}>
                  {header}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((each) => (
            <tr
              key={rowId(each)}
              ref={rowId(each) === current ? row : undefined}
              aria-current={rowId(each) === current || undefined}
            >
              {cellsOf(shown, each)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The cells of a row; as a card, each says what its column is. */
export const cellsOf = <T,>(columns: readonly SimpleColumn<T>[], row: T) =>
  columns.map(({ header, cell, number, wide, className }, place) => (
    <td
      key={place}
      data-label={typeof header === 'string' ? header : undefined}
      data-wide={wide}
      className={number ? 'gr-number' : className}
    >
      <div style={{ minWidth: 0 }}>{cell(row)}</div>
    </td>
  ));

export function LoadedTable<T>(
  props: Omit<ComponentProps<typeof SimpleTable<T>>, 'rows'> & { query: UseQueryResult<{ items: T[] }> },
) {
  const { query, ...table } = props;
  return <Loaded query={query}>{({ items }) => <SimpleTable {...table} rows={items} />}</Loaded>;
}
