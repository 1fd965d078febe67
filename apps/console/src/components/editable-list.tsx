import { Button, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, useState, type ComponentProps, type ReactNode } from 'react';
import { Empty, Loaded, Panel } from './page';
import type { Done } from './action-dialog';
import { ReceiptBanner } from './receipt-banner';
import { RowActions } from './row-actions';
import { SimpleTable } from './simple-table';
import { useRequestedAction } from './use-requested-action';

/** A dialog about a row, or about a new one. */
export interface RowDialog<T, Name extends string> {
  action: Name | 'add';
  row: T | undefined;
  /** Says what was saved, of the row or of a new one, and reads the list again. */
  onDone: (text: string, of?: string) => Promise<unknown>;
  onClose: () => void;
}

/** A list of few rows that are added and changed in dialogs. */
export function EditableList<T extends { id: string }, Name extends string>({
  title,
  noun,
  hint,
  notices,
  empty: [emptyTitle, emptyText],
  query,
  columns,
  actions,
  nameOf,
  dialog,
}: {
  title: string;
  noun: string;
  hint?: ReactNode;
  /** What is to be decided on about a row, before the rows. */
  notices?: (row: T, onDone: RowDialog<T, Name>['onDone']) => ReactNode;
  empty: [title: string, text: string];
  query: UseQueryResult<{ items: T[] }>;
  columns: ComponentProps<typeof SimpleTable<T>>['columns'];
  /** Null for those who may change nothing. */
  actions: readonly (readonly [Name, label: string])[] | null;
  nameOf: (row: T) => string;
  dialog: (dialog: RowDialog<T, Name>) => ReactNode;
}) {
  const [isAdding, setAdding] = useRequestedAction([noun]);
  const [chosen, setChosen] = useState<{ action: Name; row: T } | null>(null);
  const open = isAdding && actions ? { action: 'add' as const, row: undefined } : chosen;
  const [done, setDone] = useState<Done | null>(null);
  // As it was read last: after a conflict that is what the next confirmation is about.
  const row = query.data?.items.find(({ id }) => id === open?.row?.id) ?? open?.row;
  const close = () => {
    setAdding(null);
    setChosen(null);
  };
  const onDone = (text: string, of = row ? nameOf(row) : null) => {
    setDone({ text, of });
    return query.refetch();
  };
  return (
    <Panel
      title={title}
      actions={
        actions && (
          <Button size="xs" variant="default" onClick={() => setAdding(noun)}>
            New {noun}…
          </Button>
        )
      }
    >
      <Stack>
        {done && <ReceiptBanner of={done.of}>{done.text}</ReceiptBanner>}
        {hint !== undefined && <div className="gr-dimmed">{hint}</div>}
        <Loaded query={query} empty={<Empty title={emptyTitle}>{emptyText}</Empty>}>
          {({ items }) => (
            <>
              {notices && items.map((each) => <Fragment key={each.id}>{notices(each, onDone)}</Fragment>)}
              <SimpleTable
                name={title}
                rows={items}
                rowId={({ id }) => id}
                columns={[
                  ...columns,
                  actions && {
                    header: 'Actions',
                    cell: (each) => (
                      <RowActions
                        actions={actions}
                        of={nameOf(each)}
                        onPick={(action) => setChosen({ action, row: each })}
                      />
                    ),
                  },
                ]}
              />
            </>
          )}
        </Loaded>
      </Stack>
      {open && dialog({ action: open.action, row, onDone, onClose: close })}
    </Panel>
  );
}
