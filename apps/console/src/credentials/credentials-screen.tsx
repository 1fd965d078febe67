import { Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Schema } from '../api/client';
import { SecretPanel } from '../api-keys/secrets-panel';
import { OpenButton, type Closing, type Done } from '../components/action-dialog';
import { DataTable, type Column, type DataTableProps } from '../components/data-table';
import { Name, Noted, Time } from '../components/inline';
import { PageHeader, Panel } from '../components/page';
import { ReceiptBanner } from '../components/banner';
import { RowActions, type Action } from '../components/row-actions';

type Credential = Pick<
  Schema['ServiceCredentialResponse'],
  'id' | 'name' | 'hint' | 'last_used_at' | 'last_used_address'
>;

interface CredentialDone extends Done {
  created?: { id: string; name: string; secret: string };
}

/** Reads the list again. */
export type OnDone = (done: CredentialDone) => Promise<unknown>;

export function CredentialsScreen<C extends Credential>(
  props: Pick<DataTableProps<C>, 'list' | 'query' | 'columns' | 'empty'> & {
    title: string;
    hint: string;
    ifLost: string;
    may: boolean;
    actionsOf: (credential: C, onDone: OnDone) => Record<string, Action>;
    NewDialog: (props: Closing & { onDone: OnDone }) => ReactNode;
  },
) {
  const { title, hint, ifLost, columns, may, actionsOf, NewDialog, ...table } = props;
  const [done, setDone] = useState<CredentialDone | null>(null);
  const [created, setCreated] = useState<NonNullable<CredentialDone['created']>[]>([]);
  const onDone: OnDone = (what) => {
    setDone(what);
    const { created: another } = what;
    // A rotation replaces what was shown of the same one.
    if (another) setCreated((before) => [another, ...before.filter(({ id }) => id !== another.id)]);
    return table.query.refetch();
  };
  const actions: Column<C> = {
    header: 'Action',
    cell: (of) => <RowActions of={of.name} actions={actionsOf(of, onDone)} />,
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
