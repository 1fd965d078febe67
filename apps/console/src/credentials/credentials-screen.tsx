import { Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Schema } from '../api/client';
import { SecretPanel } from '../api-keys/secrets-panel';
import { OpenButton, type Closing, type Done } from '../components/action-dialog';
import { DataTable, type Column, type DataTableProps } from '../components/data-table';
import { Name, Noted, Time } from '../components/inline';
import { PageHeader, Panel } from '../components/page';
import { ReceiptBanner } from '../components/banner';
import { RowActions } from '../components/row-actions';

type Credential = Pick<
  Schema['ServiceCredentialResponse'],
  'id' | 'name' | 'hint' | 'last_used_at' | 'last_used_address'
>;

/** What was done; a new secret is shown once. */
interface CredentialDone extends Done {
  created?: { id: string; name: string; secret: string };
}

/** `onDone` reads the list again. */
export interface DialogProps extends Closing {
  onDone: (done: CredentialDone) => Promise<unknown>;
}

export type DialogOf<C> = DialogProps & { credential: C };

export function CredentialsScreen<C extends Credential, Action extends string>(
  props: Pick<DataTableProps<C>, 'list' | 'query' | 'columns' | 'empty'> & {
    title: string;
    hint: string;
    ifLost: string;
    may: boolean;
    actionsOf: (credential: C) => [Action, string][];
    dialogs: Record<Action, (props: DialogOf<C>) => ReactNode>;
    NewDialog: (props: DialogProps) => ReactNode;
  },
) {
  const { title, hint, ifLost, columns, may, actionsOf, dialogs, NewDialog, ...table } = props;
  const [open, setOpen] = useState<{ action: Action; of: C } | null>(null);
  const [done, setDone] = useState<CredentialDone | null>(null);
  const [created, setCreated] = useState<NonNullable<CredentialDone['created']>[]>([]);
  const onDone = (what: CredentialDone) => {
    setDone(what);
    const { created: another } = what;
    // A rotation replaces what was shown of the same one.
    if (another) setCreated((before) => [another, ...before.filter(({ id }) => id !== another.id)]);
    return table.query.refetch();
  };
  const Dialog: ((props: DialogOf<C>) => ReactNode) | null = open && dialogs[open.action];
  const actions: Column<C> = {
    header: 'Action',
    cell: (of) => (
      <RowActions actions={actionsOf(of)} of={of.name} onPick={(action) => setOpen({ action, of })} />
    ),
  };
  return (
    <Stack>
      <PageHeader title={title} hint={hint}>
        {may && (
          <OpenButton variant="filled" label="New credential…">
            {(close) => <NewDialog onDone={onDone} onClose={close} />}
          </OpenButton>
        )}
      </PageHeader>
      {done && <ReceiptBanner {...done}>{done.text}</ReceiptBanner>}
      {created.map(({ name, secret }) => (
        <SecretPanel
          key={secret}
          secret={secret}
          title={
            <>
              The secret of <Name>{name}</Name>
            </>
          }
          ifLost={ifLost}
          onHide={() => setCreated((all) => all.filter((each) => each.secret !== secret))}
        />
      ))}
      <Panel>
        <DataTable {...table} name={title} columns={may ? [...columns, actions] : columns} />
      </Panel>
      {open && Dialog && (
        <Dialog
          credential={table.query.data?.items.find(({ id }) => id === open.of.id) ?? open.of}
          onDone={onDone}
          onClose={() => setOpen(null)}
        />
      )}
    </Stack>
  );
}

export const HINT_COLUMN: Column<Credential> = {
  id: 'hint',
  header: 'Ends in',
  cell: ({ hint }) => <span className="gr-mono">{hint}</span>,
};

export const USED_COLUMN: Column<Credential> = {
  id: 'used',
  header: 'Last use',
  cell: ({ last_used_at, last_used_address }) => (
    <Noted note={last_used_address && <span className="gr-mono">{last_used_address}</span>}>
      <Time at={last_used_at} relative />
    </Noted>
  ),
};
