import { EDITED_FIELDS, keyField } from '@app/domain/keys/key-fields';
import { usableCredits } from '@app/domain/credits/credits-left';
import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { read, type Schema } from '../api/client';
import { queryClient, refresh } from '../api/query-client';
import { NewestEvents } from '../audit-log/newest-events';
import { accountCrumbs, Breadcrumbs } from '../components/breadcrumbs';
import { CopyableId } from '../components/copy-button';
import { Facts } from '../components/facts';
import { ExternalId, Tags } from '../components/labels';
import { Loaded } from '../components/loading';
import { Name } from '../components/name';
import { plural } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { ReceiptBanner } from '../components/receipt-banner';
import { Time } from '../components/time';
import { UsageBar } from '../components/meter';
import { FindingsPanel } from '../key-safety/findings-panel';
import { WaitingBanner } from '../approvals/waiting-banner';
import { useOpened } from '../components/use-opened';
import { useMay } from '../api/me';
import { KeyActions } from './key-actions';
import { ManagedBanner } from './managed-banner';
import { LastUse, type KeyDone } from './key-change';
import { settingsOf, settingText } from './describe-key';
import { KeyBadge } from './key-badge';
import { PermissionsPanel } from './permissions-panel';
import { RefusalsPanel } from './refusals-panel';
import { SecretPanel } from './secret-panel';
import { SecretsPanel } from './secrets-panel';
import { SettingUndoPanel } from './setting-undo-panel';
import { TrafficPanel } from './traffic-panel';
import { UsagePanel } from './usage-panel';

type Detail = Schema['ApiKeyDetailResponse'];

/** One key: its state, its permissions, its secrets, and the outcome of its requests. */
export function ApiKeyPage() {
  const { keyId = '' } = useParams({ strict: false });
  const query = useQuery(read(['api-key', keyId], '/admin/api-keys/{key_id}', { path: { key_id: keyId } }));
  return <Loaded query={query}>{(key) => <KeyView key={key.id} apiKey={key} />}</Loaded>;
}

function KeyView({ apiKey: key }: { apiKey: Detail }) {
  const may = useMay();
  useOpened('API key', key.name, `/api-keys/${key.id}`);
  const [done, setDone] = useState<KeyDone | null>(null);
  const [newSecret, setNewSecret] = useState<string | null>(null);
  const show = (change: KeyDone) => {
    const { secret, ...saved } = change.saved;
    queryClient.setQueryData(['api-key', key.id], saved);
    void refresh(['api-keys'], ['audit-log']);
    setDone(change);
    // Other changes do not take it away.
    if (secret !== undefined) setNewSecret(secret);
  };
  const isDeleted = key.status === 'deleted';
  const toAllowList = { to: '/api-keys/$keyId/allow-list', params: { keyId: key.id } } as const;
  return (
    <Stack>
      <PageHeader
        title={<Name>{key.name}</Name>}
        tabTitle={key.name}
        above={<Breadcrumbs>{accountCrumbs(key.account)}</Breadcrumbs>}
        hint={
          <Group gap="xs">
            <KeyBadge apiKey={key} /> <span className="gr-mono gr-hint">{key.hint}</span>
          </Group>
        }
      >
        {may('keys.explain') && !isDeleted && (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link to="/api-keys/$keyId/explain" params={{ keyId: key.id }} {...props} />
            )}
          >
            Explain a request
          </Button>
        )}
        {!isDeleted && (
          <Button variant="default" renderRoot={(props) => <Link {...toAllowList} {...props} />}>
            Allow-list
          </Button>
        )}
        {may('keys.write') && <KeyActions apiKey={key} onDone={show} />}
      </PageHeader>
      {done && (
        <ReceiptBanner
          of={key.name}
          receipt={done.saved.receipt}
          now={done.now}
          forCustomer={done.forCustomer}
        >
          {done.text}
        </ReceiptBanner>
      )}
      {newSecret !== null && (
        <SecretPanel
          key={newSecret}
          secret={newSecret}
          title="The new secret"
          onHide={() => setNewSecret(null)}
        />
      )}
      {key.managed_by !== null && <ManagedBanner apiKey={key} file={key.managed_by} onDone={show} />}
      <WaitingBanner targetId={key.id} />
      {isDeleted ? <StatePanel apiKey={key} /> : <PanelsInUse apiKey={key} onDone={show} />}
      {may('audit.read_own_actions') && <NewestEvents targetId={key.id} />}
    </Stack>
  );
}

/** What is read and changed of a key that is not deleted. */
function PanelsInUse({ apiKey: key, onDone }: { apiKey: Detail; onDone: (done: KeyDone) => void }) {
  const may = useMay();
  return (
    <>
      <SettingUndoPanel apiKey={key} mayWrite={may('keys.write')} onDone={onDone} />
      <UsagePanel keyId={key.id} accountId={key.account.id} />
      <RefusalsPanel keyId={key.id} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <StatePanel apiKey={key} />
        <PermissionsPanel keyId={key.id} permissions={key.permissions} />
      </SimpleGrid>
      <TrafficPanel keyId={key.id} />
      <FindingsPanel keyId={key.id} />
      <SecretsPanel apiKey={key} onDone={onDone} />
    </>
  );
}

function StatePanel({ apiKey: key }: { apiKey: Detail }) {
  const { credits, allowed_ips, account } = key;
  return (
    <Panel title="State">
      <Stack>
        <UsageBar
          used={credits.used}
          limit={usableCredits({ ...credits, creditLimit: credits.limit })}
          unit="credits"
        />
        <Facts
          facts={[
            ['Credits renewed', <Time at={credits.period_end} />],
            ['Account', `${account.tier}, ${account.status}`],
            [
              'Allow-list',
              <Link to="/api-keys/$keyId/allow-list" params={{ keyId: key.id }}>
                {allowed_ips
                  ? plural(allowed_ips.length, 'entry', 'entries')
                  : 'none: every address is let in'}
              </Link>,
            ],
            ...settingFacts(key),
            ['Last use', <LastUse at={key.last_used_at} from={key.last_used_from} />],
            ['Disabled', <Time at={key.disabled_at} never="no" />],
            ...(key.status === 'deleted' ? deletedFacts(key) : []),
            ['Created', <Time at={key.created_at} />],
            ['Id', <CopyableId id={key.id} what="the key's id" />],
          ]}
        />
      </Stack>
    </Panel>
  );
}

/** Those that no other panel shows. */
const SHOWN = EDITED_FIELDS.filter((name) => !['name', 'permissions', 'credit_limit'].includes(name));

function settingFacts(key: Detail): [name: string, value: ReactNode][] {
  const settings = settingsOf(key);
  return SHOWN.map((name) => {
    const { kind, label } = keyField(name);
    if (name === 'tags' && key.tags.length > 0) return [label, <Tags tags={key.tags} to="/api-keys" />];
    if (name === 'external_id') return [label, <ExternalId id={key.external_id} />];
    if (kind === 'time') return [label, <Time at={settings[name] as string | null} />];
    return [label, settingText(name, settings[name])];
  });
}

function deletedFacts(key: Detail): [name: string, value: ReactNode][] {
  return [
    ['Deleted', <Time at={key.deleted_at} />],
    ['Can be restored until', <Time at={key.removed_after} />],
  ];
}
