import { LoadedTable } from '../components/simple-table';
import { Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read, type Schema, refresh, meQuery } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Panel } from '../components/page';
import { UserText, Time } from '../components/inline';
import { Banner } from '../components/banner';
import { RowActions } from '../components/row-actions';
import { useFields } from '../components/fields';
import { addPasskey, methodsQuery, passkeyObstacle } from '../session/passkey';
import { deviceName } from './device-name';

type Passkey = Schema['PasskeyResponse'];
type Open = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey };

const ROW_ACTIONS = [
  ['rename', 'Rename'],
  ['remove', 'Remove'],
] as const;

const PASSKEYS_KEY = ['own-passkeys'];

export function PasskeysPanel() {
  const query = useQuery(read(PASSKEYS_KEY, '/admin/me/passkeys'));
  const { data: methods } = useQuery(methodsQuery);
  const [open, setOpen] = useState<Open | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const obstacle = methods ? passkeyObstacle(methods.passkey_host) : null;
  const finish = async (text: string) => {
    setDone(text);
    await refresh(PASSKEYS_KEY, meQuery.queryKey);
  };
  const close = () => setOpen(null);
  return (
    <Panel
      title="Passkeys"
      actions={
        obstacle === null && (
          <Button size="xs" variant="default" onClick={() => setOpen({ kind: 'add' })}>
            Add a passkey
          </Button>
        )
      }
      gap="md"
    >
      <Text c="dimmed">
        A passkey signs you in with the fingerprint, face or PIN of your device. It needs no password and no
        code, and it is the second factor that a role may require.
      </Text>
      {obstacle !== null && <Banner>{obstacle}</Banner>}
      {done !== null && <Banner tone="good">{done}</Banner>}
      <LoadedTable
        name="Passkeys"
        query={query}
        empty={<Text>You have no passkey yet.</Text>}
        columns={[
          { header: 'Name', cell: (passkey) => <UserText>{passkey.name}</UserText> },
          {
            header: 'Stored in',
            cell: (passkey) =>
              passkey.kept_in ?? (passkey.synced ? 'A synced password manager' : 'One device'),
          },
          { header: 'Added', cell: (passkey) => <Time at={passkey.created_at} /> },
          {
            header: 'Last used',
            cell: (passkey) =>
              passkey.last_used_at === null ? 'never' : <Time at={passkey.last_used_at} relative />,
          },
          {
            header: 'Action',
            cell: (passkey) => (
              <RowActions
                actions={ROW_ACTIONS}
                of={`the passkey ${passkey.name}`}
                onPick={(kind) => setOpen({ kind, passkey })}
              />
            ),
          },
        ]}
      />
      {open?.kind === 'add' && (
        <NameDialog
          title="Add a passkey"
          of={null}
          hint="Then your browser asks for your fingerprint, face or PIN."
          name={deviceName(navigator.userAgent)}
          action="Continue"
          send={addPasskey}
          onDone={(name) => finish(`The passkey ${name} was added.`)}
          onClose={close}
        />
      )}
      {open?.kind === 'rename' && (
        <NameDialog
          title="Rename the passkey"
          of={open.passkey.name}
          name={open.passkey.name}
          action="Rename"
          send={(name) => api.PATCH('/admin/me/passkeys/{passkey_id}', open.passkey.id, { name })}
          onDone={(name) => finish(`The passkey is called ${name} now.`)}
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && <RemoveDialog passkey={open.passkey} onDone={finish} onClose={close} />}
    </Panel>
  );
}

function NameDialog(
  props: Closing & {
    title: string;
    of: string | null;
    hint?: string;
    name: string;
    action: string;
    send: (name: string) => Promise<unknown>;
    onDone: (name: string) => Promise<void>;
  },
) {
  const { title, of, hint, name, action, send, onDone, onClose } = props;
  const fields = useFields({ name });
  const input = fields.values.name.trim();
  return (
    <ActionDialog
      title={title}
      of={of}
      consequence={hint}
      action={action}
      withReason={false}
      form={fields}
      onConfirm={() => send(input).then(() => onDone(input))}
      onClose={onClose}
    >
      <TextInput label="Name" maxLength={100} required {...fields.text('name')} />
    </ActionDialog>
  );
}

function RemoveDialog(props: Closing & { passkey: Passkey; onDone: (text: string) => Promise<void> }) {
  const { passkey, onDone, onClose } = props;
  const { id, name } = passkey;
  return (
    <ActionDialog
      title="Remove the passkey"
      of={name}
      consequence={
        <>
          <UserText>{name}</UserText> no longer signs you in. Delete it on your device too.
        </>
      }
      action="Remove"
      danger
      withReason={false}
      onConfirm={async () => {
        await api.DELETE('/admin/me/passkeys/{passkey_id}', id);
        await onDone(`The passkey ${name} was removed.`);
      }}
      onClose={onClose}
    />
  );
}
