import { TIERS } from '@app/domain/accounts/tiers';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { api, type Schema, useMay, useMe } from '../api/client';
import { ContactsPanel } from '../alerts/contacts-panel';
import { CopyableId, Time } from '../components/inline';
import { Facts, Panel, Loaded } from '../components/page';
import { ExternalId, managersQuery, Tags } from '../components/labels';
import { formatNumber } from '../components/number';
import { SettingUndos } from '../components/undo-banner';
import { accountTab, type AccountDetail, type AccountTab } from './account-screen';
import { EntitlementPanel, RecordingsPanel } from './entitlement-panel';
import { Choice } from '../components/fields';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { OpenButton, ActionDialog, type Closing } from '../components/action-dialog';
import { AccountManagerName } from './account-badge';

export { firstQueries } from './account-screen';

export default accountTab(function Settings({ account, mayWrite, onDone }) {
  const may = useMay();
  return (
    <Stack>
      <SettingUndos
        undos={account.undo}
        of={account.name}
        none="from the tier"
        queryKey={['account', account.id]}
        mayWrite={may('accounts.write')}
        onDecide={async (setting, { action, reason, text }) => {
          const path = `/admin/accounts/{account_id}/settings/{setting}/${action}` as const;
          onDone(text)(await api.POST(path, { account_id: account.id, setting }, { reason }, account));
        }}
      />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <LimitsPanel account={account} />
        <ManagerPanel {...{ account, mayWrite, onDone }} />
        <EntitlementPanel account={account} onDone={onDone} />
        <RecordingsPanel account={account} onDone={onDone} />
      </SimpleGrid>
      <ContactsPanel owner={account.id} mayChange={mayWrite} />
    </Stack>
  );
});

function LimitsPanel({ account }: { account: AccountDetail }) {
  const { id, tier, limits, created_at, updated_at } = account;
  const { credits_override: credits, voices, concurrency } = limits;
  const limit = (value: number, override: number | null) =>
    `${formatNumber(value)}, ${override === null ? 'from the tier' : 'set for this account'}`;
  return (
    <Panel title="Tier and limits">
      <Facts
        facts={[
          ['Tier', tier],
          ['Credits a period', limit(credits ?? TIERS[tier].credits, credits)],
          ['Voices', limit(voices.limit, voices.override)],
          ['Concurrent generations', limit(concurrency.limit, concurrency.override)],
          ['Created', <Time at={created_at} />],
          ['Last change', <Time at={updated_at} />],
          ['Tags', account.tags.length === 0 ? 'none' : <Tags tags={account.tags} to="/accounts" />],
          ['External id', <ExternalId id={account.external_id} />],
          ['Id', <CopyableId id={id} what="the account's id" />],
        ]}
      />
    </Panel>
  );
}

type Manager = Schema['ManagerResponse'];

function ManagerPanel({ account, mayWrite, onDone }: Omit<AccountTab, 'onChanged'>) {
  const { manager } = account;
  return (
    <Panel title="Account manager" gap="md" align="flex-start">
      <Text size="sm" component="div">
        {manager === null ? (
          'No member of staff looks after this account yet.'
        ) : (
          <>
            <AccountManagerName manager={manager} /> · <bdi>{manager.email}</bdi>
          </>
        )}
      </Text>
      {mayWrite && (
        <OpenButton label={manager === null ? 'Assign…' : 'Change…'}>
          {(close) => <ManagerDialog account={account} onDone={onDone} onClose={close} />}
        </OpenButton>
      )}
    </Panel>
  );
}

function ManagerDialog({ account, onDone, onClose }: Pick<AccountTab, 'account' | 'onDone'> & Closing) {
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
