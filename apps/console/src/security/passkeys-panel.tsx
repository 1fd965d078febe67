import { Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, read, type Schema, refresh, meQuery } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Banner } from '../components/banner';
import { EditableList } from '../components/editable-list';
import { useFields } from '../components/fields';
import { UserText, Time } from '../components/inline';
import { addPasskey, methodsQuery, passkeyObstacle } from '../session/passkey';
import { deviceName } from './device-name';

type Passkey = Schema['PasskeyResponse'];

export function PasskeysPanel() {
  const query = useQuery(read(['own-passkeys'], '/admin/me/passkeys'));
  const { data: methods } = useQuery(methodsQuery);
  const obstacle = methods ? passkeyObstacle(methods.passkey_host) : null;
  return (
    <EditableList
      title="Passkeys"
      noun="passkey"
      hint={
        <Stack gap="md">
          A passkey signs you in with the fingerprint, face or PIN of your device. It needs no password and no
          code, and it is the second factor that a role may require.
          {obstacle !== null && <Banner>{obstacle}</Banner>}
        </Stack>
      }
      empty={['No passkeys', 'You have no passkey yet.']}
      query={query}
      mayAdd={obstacle === null}
      mayChange
      edit="Rename"
      actions={[
        {
          verb: 'Remove',
          title: 'Remove the passkey',
          consequence: 'It no longer signs you in. Delete it on your device too.',
          danger: true,
          withReason: false,
          send: async ({ id }) => {
            await api.DELETE('/admin/me/passkeys/{passkey_id}', id);
            await refresh(meQuery.queryKey);
          },
          done: 'The passkey was removed.',
        },
      ]}
      nameOf={({ name }) => name}
      columns={[
        { header: 'Name', cell: (passkey) => <UserText>{passkey.name}</UserText> },
        {
          header: 'Stored in',
          cell: (passkey) => passkey.kept_in ?? (passkey.synced ? 'A synced password manager' : 'One device'),
        },
        { header: 'Added', cell: (passkey) => <Time at={passkey.created_at} /> },
        {
          header: 'Last used',
          cell: (passkey) =>
            passkey.last_used_at === null ? 'never' : <Time at={passkey.last_used_at} relative />,
        },
      ]}
      dialog={({ row, onDone, onClose }) => (
        <PasskeyDialog
          passkey={row}
          onDone={(name) => onDone(row ? 'The passkey was renamed.' : 'The passkey was added.', name)}
          onClose={onClose}
        />
      )}
    />
  );
}

function PasskeyDialog(
  props: Closing & { passkey: Passkey | undefined; onDone: (name: string) => Promise<unknown> },
) {
  const { passkey, onDone, onClose } = props;
  const fields = useFields({ name: passkey?.name ?? deviceName(navigator.userAgent) });
  const save = async () => {
    const name = fields.values.name.trim();
    if (passkey) await api.PATCH('/admin/me/passkeys/{passkey_id}', passkey.id, { name });
    else await addPasskey(name);
    await refresh(meQuery.queryKey);
    await onDone(name);
  };
  return (
    <ActionDialog
      title={passkey ? 'Rename the passkey' : 'Add a passkey'}
      of={passkey?.name ?? null}
      consequence={!passkey && 'Then your browser asks for your fingerprint, face or PIN.'}
      action={passkey ? 'Rename' : 'Continue'}
      withReason={false}
      form={fields}
      onConfirm={save}
      onClose={onClose}
    >
      <TextInput label="Name" maxLength={100} required {...fields.text('name')} />
    </ActionDialog>
  );
}
