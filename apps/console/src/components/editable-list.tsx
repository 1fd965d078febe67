import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, useState, type ComponentProps, type ReactNode } from 'react';
import { Loaded, Panel } from './page';
import type { ActionDialog, Done } from './action-dialog';
import { RowActions, type Action } from './row-actions';
import { ReceiptBanner } from './banner';
import { SimpleTable } from './simple-table';
import { useRequestedAction } from './use-requested-action';

interface RowDialog<T> {
  row: T | undefined;
  /** Says what was saved, of the row or of a new one, and reads the list again. */
  onDone: (text: string, of?: string) => Promise<unknown>;
  onClose: () => void;
}

/** What can be done with a row beside editing it, and needs nothing but a confirmation; `action` says more than its verb. */
interface RowAction<T> extends Pick<
  ComponentProps<typeof ActionDialog>,
  'title' | 'consequence' | 'action' | 'danger' | 'withReason'
> {
  verb: string;
  send: (row: T, reason: string) => Promise<unknown>;
  done: string;
}

/** A list of few rows that are added and changed in dialogs. */
export function EditableList<T extends { id: string }>(props: {
  title: string;
  noun: string;
  hint?: ReactNode;
  /** What is to be decided on about a row, before the rows. */
  notices?: (row: T, onDone: RowDialog<T>['onDone']) => ReactNode;
  empty: [title: string, text: string];
  query: UseQueryResult<{ items: T[] }>;
  columns: ComponentProps<typeof SimpleTable<T>>['columns'];
  actions: readonly RowAction<T>[];
  mayChange: boolean;
  mayAdd?: boolean;
  edit?: string;
  nameOf: (row: T) => string;
  dialog: (dialog: RowDialog<T>) => ReactNode;
}) {
  const { title, noun, hint, notices, empty, query, columns, actions, nameOf, dialog } = props;
  const { mayChange, mayAdd = mayChange, edit = 'Edit' } = props;
  const [isAdding, setAdding] = useRequestedAction([noun]);
  const [done, setDone] = useState<Done | null>(null);
  const doneWith =
    (row?: T) =>
    (text: string, of = row ? nameOf(row) : null) => {
      setDone({ text, of });
      return query.refetch();
    };
  const actionsOf = (row: T): Record<string, Action> => ({
    [edit]: {
      label: `${edit}…`,
      dialog: ({ onClose }) => dialog({ row, onDone: doneWith(row), onClose }),
    },
    ...Object.fromEntries(
      actions.map(({ verb, send, done: text, ...action }) => [
        verb,
        {
          ...action,
          label: `${verb}…`,
          action: action.action ?? verb,
          onConfirm: async (reason: string) => {
            await send(row, reason);
            await doneWith(row)(text);
          },
        },
      ]),
    ),
  });
  return (
    <Panel
      title={title}
      actions={
        mayAdd && (
          <Button size="xs" variant="default" onClick={() => setAdding(noun)}>
            New {noun}…
          </Button>
        )
      }
      gap="md"
    >
      {done && <ReceiptBanner {...done}>{done.text}</ReceiptBanner>}
      {hint !== undefined && <div className="gr-dimmed">{hint}</div>}
      <Loaded query={query} empty={empty}>
        {({ items }) => (
          <>
            {notices &&
              items.map((each) => <Fragment key={each.id}>{notices(each, doneWith(each))}</Fragment>)}
            <SimpleTable<T>
              name={title}
              rows={items}
              columns={[
                ...columns,
                mayChange && {
                  header: 'Actions',
                  cell: (row) => <RowActions of={nameOf(row)} actions={actionsOf(row)} />,
                },
              ]}
            />
          </>
        )}
      </Loaded>
      {isAdding && mayAdd && dialog({ row: undefined, onDone: doneWith(), onClose: () => setAdding(null) })}
    </Panel>
  );
}
