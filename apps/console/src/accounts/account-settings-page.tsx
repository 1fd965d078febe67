import { TIERS } from '@app/domain/accounts/tiers';
import { SimpleGrid, Stack } from '@mantine/core';
import { api } from '../api/client';
import { ContactsPanel } from '../alerts/contacts-panel';
import { CopyableId } from '../components/copy-button';
import { Facts } from '../components/facts';
import { ExternalId, Tags } from '../components/labels';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';
import { SettingUndos } from '../components/setting-undos';
import { Time } from '../components/time';
import { useMay } from '../api/me';
import { ManagerPanel } from './account-manager';
import { AccountScreen, type AccountDetail } from './account-screen';
import { EntitlementPanel } from './entitlement-panel';
import { RecordingsPanel } from './recordings-panel';

export { firstQueries } from './account-screen';

/** What an account is set to, who looks after it, and what it is entitled to. */
export function AccountSettingsPage() {
  const may = useMay();
  return (
    <AccountScreen>
      {({ account, onDone }) => (
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
            <ManagerPanel account={account} onDone={onDone} />
            <EntitlementPanel account={account} onDone={onDone} />
            <RecordingsPanel account={account} onDone={onDone} />
          </SimpleGrid>
          <ContactsPanel
            owner={account.id}
            mayChange={may('accounts.write') && account.status !== 'closed'}
          />
        </Stack>
      )}
    </AccountScreen>
  );
}

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
