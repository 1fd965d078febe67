import { Button, Checkbox, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { MANAGEABLE_PERMISSIONS, type ManageablePermission } from '@app/domain/staff/management-grants';
import { useMemo, useState } from 'react';
import { api, ifMatch, readPage, unwrap, type Schema } from '../api/client';
import { useMay } from '../api/me';
import { refresh } from '../api/query-client';
import { SecretPanel } from '../api-keys/secret-panel';
import { ActionDialog, type Doing, type Done } from '../components/action-dialog';
import { Choice } from '../components/choice';
import { DataTable, type Column } from '../components/data-table';
import { useListSearch } from '../components/list-search';
import { Name } from '../components/name';
import { PageHeader, Panel } from '../components/page';
import { ReceiptBanner } from '../components/receipt-banner';
import { RowActions } from '../components/row-actions';
import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import { useFields } from '../components/use-fields';

type Credential = Schema['ManagementCredentialResponse'];
type Bound = Credential['accounts'];

interface CredentialDone extends Done {
  receipt?: Schema['ChangeReceipt'] | null;
  created?: { name: string; secret: string };
}

type DialogProps = Doing<CredentialDone>;

const BOUNDS: Record<Bound, string> = {
  all: 'All accounts',
  listed: 'Accounts by their ids',
  tagged: 'Accounts with a tag',
  created: 'Accounts that it has created',
};

/** What programs sign in with that use the staff API. */
export function ManagementCredentialsPage() {
  const list = useListSearch();
  const may = useMay()('management_credentials.write');
  const [dialog, setDialog] = useState<Credential | 'new' | null>(null);
  const [done, setDone] = useState<CredentialDone | null>(null);
  const query = useQuery(
    readPage(['management-credentials', list.search], '/admin/management-credentials', {
      query: list.query,
    }),
  );
  const columns = useMemo(() => columnsFor(may ? setDialog : null), [may]);
  const props = { onDone: setDone, onClose: () => setDialog(null) };
  return (
    <Stack>
      <PageHeader
        title="Management credentials"
        hint="Programs use them for the staff API: sign-up pages, billing jobs, deployments."
      >
        {may && <Button onClick={() => setDialog('new')}>New credential…</Button>}
      </PageHeader>
      {done && (
        <ReceiptBanner of={done.of} receipt={done.receipt}>
          {done.text}
        </ReceiptBanner>
      )}
      {done?.created && (
        <SecretPanel
          key={done.created.secret}
          secret={done.created.secret}
          title={
            <>
              The secret of <Name>{done.created.name}</Name>
            </>
          }
          ifLost="rotate the credential"
          onHide={() => setDone(null)}
        />
      )}
      <Panel>
        <DataTable
          name="Management credentials"
          query={query}
          columns={columns}
          rowId={({ id }) => id}
          list={list}
          empty="No program has a credential yet."
        />
      </Panel>
      {dialog === 'new' && <NewDialog {...props} />}
      {dialog !== null && dialog !== 'new' && (
        <DisableDialog
          credential={query.data?.items.find(({ id }) => id === dialog.id) ?? dialog}
          {...props}
        />
      )}
    </Stack>
  );
}

function columnsFor(onDisable: ((credential: Credential) => void) | null): Column<Credential>[] {
  const columns: Column<Credential>[] = [
    {
      id: 'name',
      header: 'Program',
      cell: ({ name, purpose }) => (
        <>
          <Name>{name}</Name>
          <div className="gr-dimmed">{purpose}</div>
        </>
      ),
    },
    { id: 'hint', header: 'Ends in', cell: ({ hint }) => <span className="gr-mono">{hint}</span> },
    { id: 'status', header: 'Status', cell: (credential) => <Status {...credential} /> },
    {
      id: 'permissions',
      header: 'May',
      cell: ({ permissions, accounts, tag }) => (
        <>
          {permissions.join(', ')}
          <div className="gr-dimmed">
            {BOUNDS[accounts]}
            {tag && `: ${tag}`}
          </div>
        </>
      ),
    },
    {
      id: 'used',
      header: 'Last use',
      cell: ({ last_used_at, last_used_address }) => (
        <>
          <Time at={last_used_at} relative />
          {last_used_address && <div className="gr-mono gr-dimmed">{last_used_address}</div>}
        </>
      ),
    },
    { id: 'ends', header: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} dateOnly /> },
  ];
  if (onDisable === null) return columns;
  const action: Column<Credential> = {
    id: 'action',
    header: 'Action',
    cell: (credential) =>
      credential.enabled && (
        <RowActions
          actions={[['disable', 'Disable…']]}
          of={credential.name}
          onPick={() => onDisable(credential)}
        />
      ),
  };
  return [...columns, action];
}

function Status({ enabled, expires_at }: Credential) {
  const isOver = new Date(expires_at) <= new Date();
  const state = !enabled ? 'disabled' : isOver ? 'over' : 'enabled';
  return <StatusBadge tone={state === 'enabled' ? 'good' : 'bad'}>{state}</StatusBadge>;
}

const lines = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

function NewDialog({ onDone, onClose }: DialogProps) {
  const fields = useFields({ name: '', purpose: '', accountIds: '', tag: '', addresses: '', expires: '' });
  const [permissions, setPermissions] = useState<string[]>([]);
  const [accounts, setAccounts] = useState<Bound>('listed');
  const { name, purpose, accountIds, tag, addresses, expires } = fields.values;
  const create = async (reason: string) => {
    const created = await unwrap(
      api.POST('/admin/management-credentials', {
        body: {
          name,
          purpose,
          permissions: permissions as ManageablePermission[],
          accounts,
          ...(accounts === 'listed' && { account_ids: lines(accountIds) }),
          ...(accounts === 'tagged' && { tag: tag.trim() }),
          allowed_ips: lines(addresses),
          expires_at: expires,
          reason,
        },
      }),
    );
    onDone({ text: 'The credential was created.', of: created.name, created });
    await refresh(['management-credentials']);
  };
  return (
    <ActionDialog
      title="New management credential"
      of={null}
      consequence="Its secret is shown once. It may do no more than you may, and never what is about people or credentials."
      action="Create it"
      disabled={permissions.length === 0}
      onConfirm={create}
      onClose={onClose}
    >
      <TextInput label="The program that will use it" required {...fields.text('name')} />
      <TextInput label="What it does" required {...fields.text('purpose')} />
      <Checkbox.Group label="What it may do" required value={permissions} onChange={setPermissions}>
        <Stack gap={4} mt={4}>
          {MANAGEABLE_PERMISSIONS.map((permission) => (
            <Checkbox key={permission} value={permission} label={permission} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Choice
        label="Accounts that it may touch"
        data={Object.entries(BOUNDS).map(([value, label]) => ({ value, label }))}
        value={accounts}
        onPick={(bound: Bound) => setAccounts(bound)}
      />
      {accounts === 'listed' && (
        <Textarea label="Ids of accounts" required autosize {...fields.text('accountIds')} />
      )}
      {accounts === 'tagged' && <TextInput label="Tag" required {...fields.text('tag')} />}
      <Textarea
        label="Addresses that may use it"
        description="Addresses and CIDR blocks."
        required
        autosize
        {...fields.text('addresses')}
      />
      <TextInput
        type="date"
        label="Ends"
        description="At most a year from now."
        required
        {...fields.text('expires')}
      />
    </ActionDialog>
  );
}

function DisableDialog({ credential, onDone, onClose }: DialogProps & { credential: Credential }) {
  const { id, name } = credential;
  const disable = async (reason: string) => {
    const { receipt } = await unwrap(
      api.POST('/admin/management-credentials/{credential_id}/disable', {
        params: { path: { credential_id: id }, header: ifMatch(credential) },
        body: { reason },
      }),
    );
    onDone({ text: 'The credential was disabled.', of: name, receipt });
    await refresh(['management-credentials']);
  };
  return (
    <ActionDialog
      title="Disable the credential"
      of={name}
      consequence="The program is refused from now on, for good: a credential is not enabled again."
      action="Disable"
      danger
      onConfirm={disable}
      onClose={onClose}
    />
  );
}
