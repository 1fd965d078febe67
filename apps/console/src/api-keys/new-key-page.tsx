import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { fieldProblem } from '../api/problem';
import { AccountTrail } from '../components/breadcrumbs';
import { Name } from '../components/name';
import { Notice } from '../components/notice';
import { PageHeader, Panel } from '../components/page';
import { ProblemNotice } from '../components/problem-notice';
import { ReasonField, useReason } from '../components/reason-field';
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
  const why = useReason();
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/admin/accounts/{account_id}/api-keys', {
          params: { path: { account_id: accountId } },
          body: { ...settings.body, reason: why.trimmed },
        }),
      ),
    onSuccess: (key) => {
      why.remember();
      onMade(key);
      void queryClient.invalidateQueries({ queryKey: ['api-keys'] });
      void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    },
  });
  return (
    <Panel>
      <form onSubmit={submitting(() => why.check() && create.mutate())}>
        <Stack>
          <KeyInputs settings={settings} problem={create.error} />
          {settings.permissions.length === 0 && (
            <Notice tone="warn">
              This key has no permission: it can only call the operations that are open to every key.
            </Notice>
          )}
          <ReasonField reason={why} error={fieldProblem(create.error, 'reason')} />
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
