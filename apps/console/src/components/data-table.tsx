import { Button, Checkbox, Group, UnstyledButton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useCanGoBack, useRouter } from '@tanstack/react-router';
import {
  Fragment,
  memo,
  startTransition,
  useDeferredValue,
  useMemo,
  useOptimistic,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { Empty, Loaded } from './page';
import type { useListSearch } from './list-search';
import { Peek } from './peek';
import { formatNumber } from './number';
import type { Selection } from './selection';
import { cellsOf, ownId, type SimpleColumn } from './simple-table';
import type { TableSetting } from './columns-menu';
import { TableSettings, useTableSetting } from './table-settings';
import { useRowKeys } from './use-row-keys';

/** A column. `sort` is the server's name of the order, for columns that can be sorted by. */
export interface Column<T> extends Omit<SimpleColumn<T>, 'className'> {
  header: string;
  /** By which the reader's choice of columns is stored, where it is not the header. */
  id?: string;
  sort?: string;
}

/** A page of a list, as every list of the staff API returns it. */
interface ListPage<T> {
  items: T[];
  next_cursor: string | null;
  total: number;
  total_is_estimate?: boolean;
}

const idOf = ({ header, id = header.toLowerCase() }: Pick<Column<never>, 'id' | 'header'>) => id;

export interface DataTableProps<T> {
  /** What the rows are, for those who cannot see the table: "API keys". */
  name: string;
  query: UseQueryResult<ListPage<T>>;
  columns: Column<T>[];
  rowId?: (row: T) => string;
  list: ReturnType<typeof useListSearch>;
  empty: ReactNode;
  defaultSort?: string;
  /** For rows that can be selected, with what each is called. */
  selection?: Selection;
  rowName?: (row: T) => string;
  /** Headings between the rows, such as days: rows in their order with the same one stand together. */
  groupOf?: (row: T) => string;
  peek?: (row: T) => ReactNode;
}

/**
 * A list that the server sorts, filters and cuts into pages; all of that stands in the address of the page. On a narrow
 * screen every row becomes a card.
 */
export function DataTable<T>(props: DataTableProps<T>) {
  return (
    <Loaded query={props.query} lines={6}>
      {(page) => <Listed {...props} page={page} />}
    </Loaded>
  );
}

function Listed<T>(props: DataTableProps<T> & { page: ListPage<T> }) {
  const { name, columns, query, empty, list, page: current } = props;
  const [setting, setSetting] = useTableSetting(name);
  // Other rows take long to draw: what was pressed shows first. What stands below them moves with them, and only once.
  const page = useDeferredValue(current);
  if (page.items.length === 0 && list.search.cursor === undefined) return <Empty>{empty}</Empty>;
  return (
    <div aria-busy={query.isFetching || page !== current}>
      {page.items.length === 0 ? (
        <Empty title="Nothing more">What was on this page is not in the list any more.</Empty>
      ) : (
        <Rows {...props} page={page} setting={setting} />
      )}
      <Pages page={page} list={list}>
        <TableSettings
          columns={columns.map((column) => ({ ...column, id: idOf(column) }))}
          setting={setting}
          onChange={setSetting}
        />
      </Pages>
    </div>
  );
}

function Rows<T>(props: DataTableProps<T> & { page: ListPage<T>; setting: TableSetting }) {
  const { name, page, columns: allColumns, rowId = ownId, list, defaultSort, selection } = props;
  const { rowName = rowId, groupOf, peek, setting } = props;
  const sort = list.search.sort ?? defaultSort;
  const columns = useMemo(
    () => allColumns.filter((column) => !setting.hidden.includes(idOf(column))),
    [allColumns, setting.hidden],
  );
  const ids = page.items.map(rowId);
  const body = useRef<HTMLTableSectionElement>(null);
  const [peeked, show] = useState<string | null>(null);
  useRowKeys(body, selection?.toggle, peek && { peeked, show });
  const at = peeked === null ? -1 : ids.indexOf(peeked);
  const isSelected = (id: string) => selection !== undefined && (selection.all || selection.ids.has(id));
  return (
    <div className="gr-scroll" role="region" aria-label={`${name}, the table`} tabIndex={0}>
      <table className="gr-table gr-stacks" aria-label={name} data-dense={setting.dense || undefined}>
        <thead>
          <tr>
            {selection && (
              <td className="gr-select" style={{ width: 32 }} data-label="All of this page">
                <Checkbox
                  aria-label="Select this page"
                  checked={ids.every(isSelected)}
                  indeterminate={!ids.every(isSelected) && ids.some(isSelected)}
                  onChange={(event) => selection.set(event.currentTarget.checked ? ids : [])}
                />
              </td>
            )}
            {columns.map((column) => (
              <Head key={idOf(column)} column={column} sort={sort} onSort={list.sortBy} />
            ))}
            {peek && <td />}
          </tr>
        </thead>
        <tbody ref={body}>
          {page.items.map((row, place) => (
            <Fragment key={rowId(row)}>
              {groupOf && (place === 0 || groupOf(row) !== groupOf(page.items[place - 1]!)) && (
                <tr className="gr-group-row">
                  <td colSpan={columns.length + (peek ? 1 : 0) + (selection ? 1 : 0)}>{groupOf(row)}</td>
                </tr>
              )}
              <Row
                {...{ row, columns }}
                id={rowId(row)}
                name={rowName(row)}
                selected={selection && isSelected(rowId(row))}
                onToggle={selection?.toggle}
                peeked={peek && rowId(row) === peeked}
                onPeek={show}
              />
            </Fragment>
          ))}
        </tbody>
      </table>
      {peek && at >= 0 && (
        <Peek
          label={`${name}: details`}
          onMove={(step) => show(ids[Math.min(Math.max(at + step, 0), ids.length - 1)]!)}
          onClose={() => show(null)}
        >
          {peek(page.items[at]!)}
        </Peek>
      )}
    </div>
  );
}

interface RowProps<T> {
  row: T;
  id: string;
  name: string;
  columns: Column<T>[];
  /** Undefined where rows cannot be selected. */
  selected: boolean | undefined;
  onToggle: ((id: string) => void) | undefined;
  /** Whether it is the one in the panel; undefined where there is none. */
  peeked: boolean | undefined;
  onPeek: (id: string | null) => void;
}

/** It is drawn again only when something of its own has changed. */
const Row = memo(function Row<T>(props: RowProps<T>) {
  const { row, id, name, columns, selected, onToggle, peeked, onPeek } = props;
  // Much of the screen is drawn again when something is selected: its row shows it before that.
  const [isSelected, showSelected] = useOptimistic(selected);
  const toggle = () =>
    startTransition(() => {
      showSelected(!isSelected);
      onToggle?.(id);
    });
  const peek = () => onPeek(peeked ? null : id);
  return (
    <tr
      data-row={id}
      onClick={({ target, currentTarget }) => {
        const pressed = target as Element;
        // Not what is pressed in it or in a dialog of it, nor the end of a text that is being selected.
        const isRow = currentTarget.contains(pressed) && pressed.closest('a, button, input') === null;
        if (peeked !== undefined && isRow && getSelection()?.type !== 'Range') peek();
      }}
      data-selected={isSelected || undefined}
      aria-current={peeked || undefined}
      tabIndex={-1}
    >
      {isSelected !== undefined && (
        <td className="gr-select">
          <Checkbox size="xs" aria-label={`Select ${name}`} checked={isSelected} onChange={toggle} />
        </td>
      )}
      {cellsOf(columns, row)}
      {peeked !== undefined && (
        <td>
          <Button size="compact-xs" variant="default" aria-expanded={peeked} onClick={peek} data-at-rest>
            Details
          </Button>
        </td>
      )}
    </tr>
  );
}) as <T>(props: RowProps<T>) => ReactNode;

function Head<T>(props: { column: Column<T>; sort: string | undefined; onSort: (sort: string) => void }) {
  const { column, sort, onSort } = props;
  const { header, sort: order, number, wide } = column;
  const direction = sort === order ? 'ascending' : sort === `-${order}` ? 'descending' : 'none';
  return (
    <th
      aria-sort={order === undefined ? undefined : direction}
      data-wide={wide}
      className={number ? 'gr-number' : undefined}
    >
      {order === undefined ? (
        header
      ) : (
        <UnstyledButton
          className="gr-sort"
          onClick={() => onSort(direction === 'ascending' ? `-${order}` : order)}
        >
          {header}
          <svg width={7} height={4} fill="currentColor" opacity={direction === 'none' ? 0 : 1} aria-hidden>
            <path d={direction === 'ascending' ? 'M0 4h7L3.5 0' : 'M0 0h7L3.5 4'} />
          </svg>
        </UnstyledButton>
      )}
    </th>
  );
}

function Pages<T>(props: { page: ListPage<T>; list: DataTableProps<T>['list']; children: ReactNode }) {
  const { page, list, children } = props;
  const router = useRouter();
  const canGoBack = useCanGoBack();
  const { cursor } = list.search;
  const prepareNext = () =>
    page.next_cursor !== null && list.prepare({ ...list.search, cursor: page.next_cursor });
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <span className="gr-dimmed" role="status">
        {page.total_is_estimate ? 'About ' : ''}
        {formatNumber(page.total)} in all{cursor === undefined ? '' : ', continued'}
      </span>
      <Group gap="xs">
        {children}
        {cursor !== undefined && (
          <>
            <Button variant="default" onClick={() => list.toPage(undefined)}>
              First page
            </Button>
            <Button variant="default" disabled={!canGoBack} onClick={() => router.history.back()}>
              Back
            </Button>
          </>
        )}
        {(page.next_cursor !== null || cursor !== undefined) && (
          <Button
            variant="default"
            disabled={page.next_cursor === null}
            onMouseEnter={prepareNext}
            onFocus={prepareNext}
            onClick={() => list.toPage(page.next_cursor ?? undefined)}
          >
            Next page
          </Button>
        )}
      </Group>
    </Group>
  );
}
