import { Button, Stack, Text } from '@mantine/core';
import { Choice } from '../components/choice';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { Loaded } from '../components/loading';
import { managersQuery } from '../components/manager-field';
import { Panel } from '../components/page';
import { useMay, useMe } from '../api/me';
import { AccountManagerName } from './account-manager-name';
import type { AccountTab } from './account-screen';

type Manager = Schema['ManagerResponse'];

/** Who looks after the account, and how that is changed. */
export function ManagerPanel({ account, onDone }: Pick<AccountTab, 'account' | 'onDone'>) {
  const may = useMay();
  const [assigning, assign] = useDisclosure();
  const { manager, status } = account;
  return (
    <Panel title="Account manager">
      <Stack align="flex-start">
        <Text size="sm" component="div">
          {manager === null ? (
            'No member of staff looks after this account yet.'
          ) : (
            <>
              <AccountManagerName manager={manager} /> · <bdi>{manager.email}</bdi>
            </>
          )}
        </Text>
        {may('accounts.write') && status !== 'closed' && (
          <Button variant="default" onClick={assign.open}>
            {manager === null ? 'Assign…' : 'Change…'}
          </Button>
        )}
      </Stack>
      {assigning && <ManagerDialog account={account} onDone={onDone} onClose={assign.close} />}
    </Panel>
  );
}

function ManagerDialog({
  account,
  onDone,
  onClose,
}: Pick<AccountTab, 'account' | 'onDone'> & { onClose: () => void }) {
  const me = useMe();
  const query = useQuery(managersQuery);
  const [chosen, setChosen] = useState(account.manager?.id ?? '');
  const confirm = async (reason: string) => {
    const body = { staff_id: chosen === '' ? null : chosen, reason };
    const saved = await api.PUT('/admin/accounts/{account_id}/manager', account.id, body, account);
    onDone(saved.manager ? 'The account manager is assigned.' : 'The account has no account manager now.')(
      saved,
    );
  };
  return (
    <ActionDialog
      title="Assign an account manager"
      of={account.name}
      consequence="The account appears among the accounts of this person. What anyone may do does not change."
      action="Assign"
      fields={['staff_id']}
      disabled={chosen === (account.manager?.id ?? '')}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Loaded query={query} lines={1}>
        {({ items }) => (
          <Choice
            label="Account manager"
            value={chosen}
            onPick={setChosen}
            data={[{ value: '', label: 'No account manager' }, ...optionsOf(items, account.manager, me.id)]}
          />
        )}
      </Loaded>
    </ActionDialog>
  );
}

/** The reader first, and the person who is assigned, even when that person could not be assigned again. */
function optionsOf(items: Manager[], current: Manager | null, ownId: string) {
  const all = current && !items.some(({ id }) => id === current.id) ? [current, ...items] : items;
  return [...all]
    .sort((a, b) => Number(b.id === ownId) - Number(a.id === ownId))
    .map(({ id, name, email, disabled }) => ({
      value: id,
      label: `${id === ownId ? 'Me: ' : ''}${name} (${email})`,
      disabled,
    }));
}
