import { Button, Group } from '@mantine/core';
import { useCallback, useState, type ReactNode } from 'react';
import type { List } from './list-search';
import { formatNumber } from './number';

/** Rows in one bulk change, when they are picked one by one. */
const MAX_PICKED = 100;

export type Selection = ReturnType<typeof useSelection>;

interface Selected {
  of: string;
  ids: Set<string>;
  all: boolean;
}

/**
 * The rows of a list that are selected: some by their ids, or all that match its filters. It ends when the list is narrowed to
 * something else.
 */
export function useSelection(list: List) {
  const of = JSON.stringify({ ...list.search, cursor: undefined, sort: undefined });
  const [state, setState] = useState<Selected>({ of, ids: new Set(), all: false });
  const { ids, all } = idsOf(state, of);
  const select = (next: Iterable<string>) => setState({ of, ids: new Set(next), all: false });
  const toggle = useCallback(
    (id: string) =>
      // Keys are pressed faster than a page is drawn.
      setState((before) => {
        const now = new Set(idsOf(before, of).ids);
        if (!now.delete(id)) now.add(id);
        return { of, ids: now, all: false };
      }),
    [of],
  );
  return {
    ids,
    all,
    set: select,
    toggle,
    selectAll: () => setState({ of, ids, all: true }),
    clear: () => select([]),
  };
}

const idsOf = (state: Selected, of: string): Selected =>
  state.of === of ? state : { of, ids: new Set(), all: false };

export function SelectionBar(props: {
  selection: Selection;
  shown: number;
  total: number | undefined;
  canSelectAll: boolean;
  children: ReactNode;
}) {
  const { selection, shown, total, canSelectAll, children } = props;
  const { ids, all } = selection;
  if (ids.size === 0 && !all) return null;
  const isTooMuch = !all && ids.size > MAX_PICKED;
  return (
    <Group className="gr-selection" gap="xs" role="status">
      <strong>{all ? 'All that match are selected' : `${formatNumber(ids.size)} selected`}</strong>
      {!all && canSelectAll && total !== undefined && ids.size >= shown && total > ids.size && (
        <Button size="compact-sm" variant="subtle" onClick={selection.selectAll}>
          {`Select all ${formatNumber(total)} that match`}
        </Button>
      )}
      {isTooMuch
        ? `At most ${MAX_PICKED} can be picked one by one. Filter, and select all that match.`
        : children}
      <Button size="compact-sm" variant="subtle" onClick={selection.clear}>
        Clear the selection
      </Button>
    </Group>
  );
}
