import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { MANAGEABLE_PERMISSIONS, type ManageablePermission } from '@app/domain/staff/management-grants';
import { useState } from 'react';
import { api, type Schema, useMay } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Checks, useFields } from '../components/fields';
import type { Column } from '../components/data-table';
import { named } from '../components/list-filters';
import { listing, useListing } from '../components/list-search';
import { Name, Noted, Time, StatusBadge } from '../components/inline';
import { CredentialsScreen, HINT_COLUMN, USED_COLUMN, type OnDone } from './credentials-screen';

type Credential = Schema['ManagementCredentialResponse'];
type Bound = Credential['accounts'];

const BOUNDS: Record<Bound, string> = {
  all: 'All accounts',
  listed: 'Accounts by their ids',
  tagged: 'Accounts with a tag',
  created: 'Accounts that it has created',
};

const ONE = '/admin/management-credentials/{credential_id}';

const LISTING = listing(['management-credentials'], '/admin/management-credentials');

export const { firstQueries } = LISTING;

export default function ManagementCredentialsPage() {
  const may = useMay();
  return (
    <CredentialsScreen
      title="Management credentials"
      hint="Programs use them for the staff API: sign-up pages, billing jobs, deployments."
      ifLost="rotate the credential"
      empty="No program has a credential yet."
      {...useListing(LISTING)}
      columns={COLUMNS}
      may={may('management_credentials.write')}
      actionsOf={(credential, onDone) => ({
        edit: {
          label: 'Edit…',
          isHidden: !credential.enabled,
          dialog: (dialog) => <SettingsDialog {...{ credential, onDone, ...dialog }} />,
        },
        rotate: {
          label: 'Rotate…',
          isHidden: !credential.enabled,
          dialog: (dialog) => <RotateDialog {...{ credential, onDone, ...dialog }} />,
        },
        disable: {
          label: 'Disable…',
          isHidden: !credential.enabled,
          title: 'Disable the credential',
          consequence: 'The program is refused from now on, for good: a credential is not enabled again.',
          action: 'Disable',
          danger: true,
          onConfirm: async (reason) => {
            const { receipt } = await api.POST(`${ONE}/disable`, credential.id, { reason }, credential);
            await onDone({ text: 'The credential was disabled.', of: credential.name, receipt });
          },
        },
      })}
      NewDialog={SettingsDialog}
    />
  );
}

const COLUMNS: Column<Credential>[] = [
  {
    id: 'name',
    header: 'Program',
    cell: ({ name, purpose }) => (
      <Noted note={purpose}>
        <Name>{name}</Name>
      </Noted>
    ),
  },
  HINT_COLUMN,
  {
    header: 'Status',
    cell: (credential) => (
      <>
        <Status {...credential} />
        <div>
          <Link to="/explain" search={{ credential: credential.id } as never}>
            Explain a request
          </Link>
        </div>
      </>
    ),
  },
  {
    id: 'permissions',
    header: 'May',
    cell: ({ permissions, accounts, tag }) => (
      <Noted note={tag ? `${BOUNDS[accounts]}: ${tag}` : BOUNDS[accounts]}>{permissions.join(', ')}</Noted>
    ),
  },
  USED_COLUMN,
  { header: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} dateOnly /> },
];

function Status({ enabled, expires_at }: Credential) {
  const isOver = new Date(expires_at) <= new Date();
  const state = !enabled ? 'disabled' : isOver ? 'over' : 'enabled';
  return <StatusBadge tone={state === 'enabled' ? 'good' : 'bad'}>{state}</StatusBadge>;
}

const lines = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

function SettingsDialog(props: Closing & { credential?: Credential; onDone: OnDone }) {
  const { credential, onDone, onClose } = props;
  const fields = useFields({
    name: credential?.name ?? '',
    purpose: credential?.purpose ?? '',
    accounts: credential?.accounts ?? 'listed',
    accountIds: credential?.account_ids.join('\n') ?? '',
    tag: credential?.tag ?? '',
    addresses: credential?.allowed_ips.join('\n') ?? '',
    expires: credential?.expires_at.slice(0, 10) ?? '',
  });
  const [permissions, setPermissions] = useState<ManageablePermission[]>(
    (credential?.permissions ?? []) as ManageablePermission[],
  );
  const { name, purpose, accounts, accountIds, tag, addresses, expires } = fields.values;
  const isOpen = credential?.allowed_ips.length === 0;
  const save = async (reason: string) => {
    const body = {
      name,
      purpose,
      permissions,
      accounts: accounts as Bound,
      ...(accounts === 'listed' && { account_ids: lines(accountIds) }),
      ...(accounts === 'tagged' && { tag: tag.trim() }),
      allowed_ips: lines(addresses),
      ...(isOpen && lines(addresses).length === 0 && { confirm_any_address: true }),
      reason,
    };
    if (credential) {
      // A day that stays is not sent: the credential may end at a time of it.
      const end = expires === credential.expires_at.slice(0, 10) ? {} : { expires_at: expires };
      await api.PATCH(ONE, credential.id, { ...body, ...end }, credential);
      await onDone({ text: 'The credential was edited: it holds from the next request on.', of: name });
    } else {
      const created = await api.POST('/admin/management-credentials', {}, { ...body, expires_at: expires });
      await onDone({ text: 'The credential was created.', of: created.name, created });
    }
  };
  return (
    <ActionDialog
      title={credential ? 'Edit the credential' : 'New management credential'}
      of={credential?.name ?? null}
      consequence={
        credential
          ? 'It may do no more than its creator may, and never what is about people or credentials.'
          : 'Its secret is shown once. It may do no more than you may, and never what is about people or credentials.'
      }
      action={credential ? 'Save' : 'Create it'}
      disabled={permissions.length === 0}
      onConfirm={save}
      onClose={onClose}
    >
      <TextInput label="The program that will use it" required {...fields.text('name')} />
      <TextInput label="What it does" required {...fields.text('purpose')} />
      <Checks
        label="What it may do"
        required
        all={MANAGEABLE_PERMISSIONS}
        value={permissions}
        onChange={setPermissions}
      />
      <NativeSelect label="Accounts that it may touch" data={named(BOUNDS)} {...fields.text('accounts')} />
      {accounts === 'listed' && <Textarea label="Ids of accounts" required {...fields.text('accountIds')} />}
      {accounts === 'tagged' && <TextInput label="Tag" required {...fields.text('tag')} />}
      <Textarea
        label="Addresses that may use it"
        description={
          isOpen
            ? 'Addresses and CIDR blocks; it works from every address now.'
            : 'Addresses and CIDR blocks.'
        }
        required={!isOpen}
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

function RotateDialog(props: Closing & { credential: Credential; onDone: OnDone }) {
  const { credential, onDone, onClose } = props;
  const { id, name } = credential;
  const fields = useFields({ days: '7' });
  const { days } = fields.values;
  const rotate = async (reason: string) => {
    const body = { overlap_days: Number(days), reason };
    const { secret } = await api.POST(`${ONE}/rotate`, id, body, credential);
    await onDone({ text: 'The credential was rotated.', of: name, created: { id, name, secret } });
  };
  return (
    <ActionDialog
      title="Rotate the credential"
      of={name}
      consequence="The new secret is shown once, to who has created the credential; the old one works beside it for these days."
      action="Rotate"
      danger={days === '0'}
      onConfirm={rotate}
      onClose={onClose}
    >
      <TextInput
        type="number"
        min={0}
        label="Days that the old secret works"
        required
        {...fields.text('days')}
      />
    </ActionDialog>
  );
}
