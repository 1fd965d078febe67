import { EDITED_FIELDS, keyField } from '@app/domain/keys/key-fields';
import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api, read, type Schema, queryClient, refresh, useMay, type FirstQueries } from '../api/client';
import { allowListQuery } from '../allow-list/list-calls';
import { NewestEvents } from '../audit-log/newest-events';
import { AccountName, Name, Time, CopyableId } from '../components/inline';
import { accountCrumbs, Breadcrumbs } from '../components/breadcrumbs';
import { Facts, Loaded, PageHeader, Panel, Split } from '../components/page';
import { ExternalId, Tags } from '../components/labels';
import { ReceiptBanner, HandOver, Banner } from '../components/banner';
import { SettingUndos, UndoCountdown } from '../components/undo-banner';
import { RefusalsPanel } from '../explain/refusals-panel';
import { FindingsPanel } from '../key-safety/findings-panel';
import { WaitingBanner } from '../approvals/waiting-banner';
import { useOpened } from '../components/use-opened';
import { KeyActions } from './key-actions';
import { type KeyDone, settingsOf, settingText, type KeyDialogProps } from './key-change';
import { KeyStanding } from './key-standing';
import { LimitsPanel, useKeyLimits, OriginsPanel, PermissionsPanel } from './key-side';
import { KeyBadge } from './key-columns';
import { SecretPanel, SecretsPanel } from './secrets-panel';
import { TrafficPanel, trafficQuery } from './traffic-panel';
import { ActionButton } from '../components/action-dialog';

type Detail = Schema['ApiKeyDetailResponse'];

const keyQuery = (keyId: string) => read(['api-key', keyId], '/admin/api-keys/{key_id}', keyId);

export const firstQueries: FirstQueries = ({ params: { keyId = '' } }) => [
  keyQuery(keyId),
  trafficQuery(keyId),
];

export default function ApiKeyPage() {
  const { keyId = '' } = useParams({ strict: false });
  const query = useQuery(keyQuery(keyId));
  return <Loaded query={query}>{(key) => <KeyView key={key.id} apiKey={key} />}</Loaded>;
}

function KeyView({ apiKey: key }: { apiKey: Detail }) {
  const may = useMay();
  const at = `/api-keys/${key.id}`;
  useOpened('API key', key.name, at);
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
          <Button component={Link} variant="default" to={`${at}/explain`}>
            Explain a request
          </Button>
        )}
        {!isDeleted && (
          <Button component={Link} variant="default" to={`${at}/allow-list`}>
            Allow-list
          </Button>
        )}
        {may('keys.write') && <KeyActions apiKey={key} onDone={show} />}
      </PageHeader>
      {done && (
        <ReceiptBanner of={key.name} {...done} receipt={done.saved.receipt}>
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
      {isDeleted ? (
        <>
          <DetailsPanel apiKey={key} />
          {may('audit.read_own_actions') && <NewestEvents targetId={key.id} />}
        </>
      ) : (
        <InUse apiKey={key} onDone={show} />
      )}
    </Stack>
  );
}

function InUse({ apiKey: key, onDone }: { apiKey: Detail; onDone: (done: KeyDone) => void }) {
  const may = useMay();
  const limits = useKeyLimits(key);
  const traffic = useQuery(trafficQuery(key.id)).data;
  return (
    <Split
      side={
        <>
          <LimitsPanel limits={limits} />
          <PermissionsPanel keyId={key.id} permissions={key.permissions} />
          {traffic && <OriginsPanel apiKey={key} traffic={traffic} />}
          <DetailsPanel apiKey={key} />
        </>
      }
    >
      <HandOver permission="keys.write" to="change this key" />
      <SettingUndos
        undos={key.undo}
        of={key.name}
        queryKey={['api-key', key.id]}
        mayWrite={may('keys.write')}
        onDecide={async (setting, { action, reason, text }) => {
          const path = `/admin/api-keys/{key_id}/settings/{setting}/${action}` as const;
          onDone({ text, saved: await api.POST(path, { key_id: key.id, setting }, { reason }, key) });
        }}
      />
      <ListTimer keyId={key.id} />
      <KeyStanding apiKey={key} limits={limits} />
      <TrafficPanel keyId={key.id} accountId={key.account.id} />
      <RefusalsPanel apiKey={key} />
      <FindingsPanel keyId={key.id} />
      {key.secrets.length > 1 && <SecretsPanel apiKey={key} onDone={onDone} />}
      {may('audit.read_own_actions') && <NewestEvents targetId={key.id} />}
    </Split>
  );
}

/** That a change of the allow-list is undone unless a member of staff keeps it. */
function ListTimer({ keyId }: { keyId: string }) {
  const list = allowListQuery({ kind: 'key', id: keyId });
  const dueAt = useQuery(list).data?.undo?.due_at;
  if (!dueAt) return null;
  return (
    <Banner tone="calm">
      The <Link to={`/api-keys/${keyId}/allow-list`}>allow-list</Link> was changed.{' '}
      <UndoCountdown at={dueAt} queryKey={list.queryKey} />
    </Banner>
  );
}

function DetailsPanel({ apiKey: key }: { apiKey: Detail }) {
  const { account } = key;
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ['Account', <AccountName account={account} />],
          ['Tier', account.tier],
          ['Credits renew', <Time at={key.credits.period_end} />],
          ...settingFacts(key),
          ...(key.status === 'deleted'
            ? ([
                ['Deleted', <Time at={key.deleted_at} />],
                ['Can be restored until', <Time at={key.removed_after} />],
              ] as Fact[])
            : []),
          ['Created', <Time at={key.created_at} />],
          ['Id', <CopyableId id={key.id} what="the key's id" />],
        ]}
      />
    </Panel>
  );
}

/** Those that no other part of the screen shows. */
const SHOWN = EDITED_FIELDS.filter(
  (name) => !['name', 'permissions', 'credit_limit', 'expires_at'].includes(name),
);

const isNone = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);

type Fact = [name: string, value: ReactNode];

function settingFacts(key: Detail): Fact[] {
  const settings = settingsOf(key);
  return SHOWN.filter((name) => !isNone(settings[name])).map((name) => {
    const { kind, label } = keyField(name);
    if (name === 'tags' && key.tags.length > 0) return [label, <Tags tags={key.tags} to="/api-keys" />];
    if (name === 'external_id') return [label, <ExternalId id={key.external_id} />];
    if (kind === 'time') return [label, <Time at={settings[name] as string | null} />];
    return [label, settingText(name, settings[name])];
  });
}

function ManagedBanner(props: Omit<KeyDialogProps, 'onClose'> & { file: string }) {
  const { apiKey, file, onDone } = props;
  const may = useMay();
  const confirm = async (reason: string) => {
    const saved = await api.POST('/admin/api-keys/{key_id}/release', apiKey.id, { reason }, apiKey);
    onDone({ text: 'The key is released.', saved });
  };
  return (
    <Banner
      title={
        <>
          Managed by the file of keys <Name>{file}</Name>
        </>
      }
    >
      <Group justify="space-between">
        <span>
          Its settings and its allow-list are changed there, with greenroom apply. Here it can be disabled,
          enabled and rotated.
        </span>
        {may('keys.release') && (
          <ActionButton
            label="Release…"
            size="xs"
            title="Release the key"
            of={apiKey.name}
            consequence="It stays as it is, and staff can change it again. Remove it from the file as well, or the next apply puts it back under the file."
            action="Release"
            onConfirm={confirm}
          />
        )}
      </Group>
    </Banner>
  );
}
