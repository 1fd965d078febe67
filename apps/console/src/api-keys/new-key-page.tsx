import { parseAllowList } from '@app/domain/allow-lists/allow-list';
import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Permission } from '@app/domain/keys/permissions';
import { api, read, type Schema, refresh } from '../api/client';
import { fieldProblem, toProblem } from '../api/problem';
import { Banner, ProblemBanner } from '../components/banner';
import { AccountTrail } from '../components/breadcrumbs';
import { LeaveConfirmation } from '../components/leave-confirmation';
import { asQuery } from '../components/list-search';
import { Name } from '../components/inline';
import { plural } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { ReasonField, useReason } from '../components/reason-field';
import { AsListOffer } from '../allow-list/as-list-offer';
import { KEY_INPUTS, KeyInputs, useKeyFields } from './key-inputs';
import { inDays, submitting } from '../components/fields';
import { SecretPanel } from './secrets-panel';

type NewKey = Schema['ApiKeyWithSecretResponse'];

export default function NewKeyPage() {
  const { accountId = '' } = useParams({ strict: false });
  const [created, setCreated] = useState<NewKey | null>(null);
  return (
    <Stack>
      <PageHeader
        title={created ? 'The new key' : 'New API key'}
        above={<AccountTrail accountId={accountId} />}
      />
      {created ? (
        <SecretPanel secret={created.secret} title={<Name>{created.name}</Name>}>
          <Link to={`/api-keys/${created.id}`}>To the key</Link>
        </SecretPanel>
      ) : (
        <NewKeyForm accountId={accountId} onCreated={setCreated} />
      )}
    </Stack>
  );
}

function NewKeyForm(props: { accountId: string; onCreated: (key: NewKey) => void }) {
  const { accountId, onCreated } = props;
  const settings = useKeyFields();
  const [list, setList] = useState('');
  const [isTouched, setTouched] = useState(false);
  const account = useQuery(read(['account', accountId], '/admin/accounts/{account_id}', accountId));
  const mayList = account.data?.ip_allow_list.enabled ?? false;
  const why = useReason();
  const create = useMutation({
    mutationFn: (confirm: boolean) =>
      api.POST('/admin/accounts/{account_id}/api-keys', accountId, {
        ...settings.body,
        ...(mayList && { allowed_ips_text: list, confirm }),
        reason: why.trimmed,
      }),
    onSuccess: (key) => {
      onCreated(key);
      why.remember();
      void refresh(['api-keys'], ['account', accountId]);
    },
  });
  const mustConfirm = create.error !== null && toProblem(create.error).code === 'confirmation_required';
  return (
    <Panel>
      <LeaveConfirmation
        when={create.isPending || isTouched}
        title={create.isPending ? 'Leave while the key is being created?' : 'Leave without a key?'}
        text={
          create.isPending
            ? 'Its secret is shown here, once, and nowhere else.'
            : 'What you have typed is not saved.'
        }
      />
      <form onInput={() => setTouched(true)} onSubmit={submitting(() => why.check() && create.mutate(false))}>
        <Stack maw="46rem">
          <Templates accountId={accountId} settings={settings} />
          <KeyInputs settings={settings} problem={create.error} />
          {settings.permissions.length === 0 && (
            <Banner tone="warn">
              This key has no permission: it can only call the operations that are open to every key.
            </Banner>
          )}
          {mayList ? (
            <FirstList
              text={list}
              onChange={setList}
              error={fieldProblem(create.error, 'allowed_ips_text')}
            />
          ) : (
            <Text c="dimmed">
              IP allow-lists are not switched on for this account, so the key works from every address.
            </Text>
          )}
          <ReasonField reason={why} error={fieldProblem(create.error, 'reason')} />
          {mustConfirm ? (
            <Banner tone="warn" alert title="Check the allowed addresses again.">
              {toProblem(create.error).reasons}
              <Group mt="xs">
                <Button size="compact-sm" onClick={() => create.mutate(true)}>
                  Create it anyway
                </Button>
              </Group>
            </Banner>
          ) : (
            <ProblemBanner error={create.error} fields={[...KEY_INPUTS, 'allowed_ips_text', 'reason']} />
          )}
          <Button type="submit" style={{ alignSelf: 'start' }} loading={create.isPending}>
            Create the key
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}

/** The permissions that the key of an account has used that was used last; null where none has sent anything. */
const usedHereQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['api-keys', 'used-here', accountId],
    queryFn: async () => {
      const query = asQuery({ account_id: accountId, sort: '-last_used_at', limit: '1' });
      const [key] = (await api.GET('/admin/api-keys', query)).items;
      if (key === undefined || key.last_used_at === null) return null;
      const { permissions } = await api.POST('/admin/api-keys/{key_id}/permissions/suggest', key.id, {});
      return permissions.length === 0
        ? null
        : { name: key.name, permissions: permissions.map((each) => each.name) };
    },
  });

function Templates(props: { accountId: string; settings: ReturnType<typeof useKeyFields> }) {
  const { fields, setPermissions } = props.settings;
  const used = useQuery(usedHereQuery(props.accountId)).data;
  return (
    <Group gap="xs" role="group" aria-label="Start from a template">
      <span className="gr-dimmed">Start from</span>
      {used && (
        <Button size="compact-sm" variant="light" onClick={() => setPermissions(used.permissions)}>
          <span>
            What <Name>{used.name}</Name> uses
          </span>
        </Button>
      )}
      {KEY_TEMPLATES.map(({ name, permissions, creditLimit, expiresInDays }) => (
        <Button
          key={name}
          size="compact-sm"
          variant="default"
          onClick={() => {
            setPermissions([...permissions]);
            fields.set({ credit_limit: String(creditLimit ?? ''), expires_at: inDays(expiresInDays) });
          }}
        >
          {name}
        </Button>
      ))}
    </Group>
  );
}

function FirstList(props: { text: string; onChange: (text: string) => void; error?: ReactNode }) {
  const { text, onChange, error } = props;
  const { entries, ignored } = readAllowListText(text);
  const isEmpty = entries.length + ignored.length === 0;
  const read = isEmpty ? null : parseAllowList(entries.map(({ address }) => address));
  const problems = read?.problems ?? [];
  return (
    <div>
      <Textarea
        label="Allowed addresses"
        name="allowed_ips_text"
        description="Paste any text: a list, an e-mail, a table. A # or a dash behind an address begins its note; so do brackets. Leave it empty for every address."
        rows={2}
        spellCheck={false}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={problems.length > 0 ? problems.map(({ message }) => message).join(' ') : error}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <AsListOffer text={text} onWrite={onChange} />
      {read && problems.length === 0 && (
        <div role="status" className="gr-dimmed">
          {plural(read.canonical.length, 'entry', 'entries')} would be stored: {read.canonical.join(', ')}.{' '}
          {read.warnings.map(({ message }) => message).join(' ')}
        </div>
      )}
    </div>
  );
}

/** Starting points: everything in them can be changed before the key is created. */
const KEY_TEMPLATES: readonly {
  name: string;
  permissions: Permission[];
  creditLimit?: number;
  expiresInDays: number;
}[] = [
  {
    name: 'Speech in a product',
    permissions: ['text_to_speech', 'voices_read', 'models_read'],
    expiresInDays: 365,
  },
  {
    name: 'Voice design',
    permissions: ['voice_generation', 'voices_read', 'voices_write', 'models_read'],
    expiresInDays: 365,
  },
  {
    name: 'Trial',
    permissions: ['text_to_speech', 'voice_generation', 'voices_read', 'models_read'],
    creditLimit: 10_000,
    expiresInDays: 30,
  },
  {
    name: 'Reading only',
    permissions: ['voices_read', 'models_read', 'speech_history_read', 'user_read', 'workspace_read'],
    expiresInDays: 365,
  },
  {
    name: 'Usage reports',
    permissions: ['workspace_analytics_full_read', 'user_read', 'audit_log_read'],
    creditLimit: 0,
    expiresInDays: 90,
  },
];
