import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { AccountTrail } from '../components/breadcrumbs';
import { Name } from '../components/name';
import { PageHeader, Panel } from '../components/page';
import { ProblemNotice } from '../components/problem-notice';
import { useFields } from '../components/use-fields';
import { submitting } from '../session/sign-in-steps';
import { KEY_FIELDS, KeyInputs, useKeyFields } from './key-inputs';
import { SecretPanel } from './secret-panel';

/** Creates a key and shows its secret once. */
export function NewKeyPage() {
  const { accountId = '' } = useParams({ strict: false });
  const [made, setMade] = useState<Schema['ApiKeyWithSecretResponse'] | null>(null);
  return (
    <Stack>
      <PageHeader
        title={made ? 'The new key' : 'New API key'}
        above={<AccountTrail accountId={accountId} />}
      />
      {made ? (
        <SecretPanel secret={made.secret} title={<Name>{made.name}</Name>}>
          <Link to="/api-keys/$keyId" params={{ keyId: made.id }}>
            To the key
          </Link>
        </SecretPanel>
      ) : (
        <NewKeyForm accountId={accountId} onMade={setMade} />
      )}
    </Stack>
  );
}

function NewKeyForm({
  accountId,
  onMade,
}: {
  accountId: string;
  onMade: (key: Schema['ApiKeyWithSecretResponse']) => void;
}) {
  const settings = useKeyFields();
  const why = useFields({ reason: '' });
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/admin/accounts/{account_id}/api-keys', {
          params: { path: { account_id: accountId } },
          body: { ...settings.body, reason: why.values.reason },
        }),
      ),
    onSuccess: (key) => {
      onMade(key);
      void queryClient.invalidateQueries({ queryKey: ['api-keys'] });
      void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    },
  });
  return (
    <Panel>
      <form onSubmit={submitting(() => create.mutate())}>
        <Stack>
          <KeyInputs settings={settings} problem={create.error} />
          <Textarea
            label="Reason"
            description="For the audit log: a ticket, who requested it, why."
            autosize
            minRows={2}
            required
            {...why.text('reason', create.error)}
          />
          <ProblemNotice error={create.error} fields={[...KEY_FIELDS, 'reason']} />
          <Group>
            <Button type="submit" loading={create.isPending}>
              Create the key
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
