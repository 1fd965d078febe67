import { LoadedTable } from '../components/simple-table';
import { Stack, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { BulkChangesPanel } from '../api-keys/bulk-changes-panel';
import { api, read, useMay } from '../api/client';
import { AccountName, Time } from '../components/inline';
import { OpenButton, type Done } from '../components/action-dialog';
import { PageHeader, Panel } from '../components/page';
import { plural } from '../components/number';
import { ReceiptBanner } from '../components/banner';
import { RowActions, type Action } from '../components/row-actions';
import { ApplyPolicyDialog, PolicyDialog } from './policy-dialogs';
import { placeOf, policyName, type Policy } from './policy';

export default function KeyPoliciesPage() {
  const may = useMay();
  const [done, setDone] = useState<Done | null>(null);
  const [appliedId, setAppliedId] = useState<string | null>(null);
  const query = useQuery(read(['key-policies'], '/admin/key-policies'));
  const policies = query.data?.items ?? [];
  const saved = async (what: Done, changeId: string | null = null) => {
    setAppliedId(changeId);
    setDone(what);
    await query.refetch();
  };
  const onSaved = (of: string | null) => saved({ text: 'The key policy was saved.', of });
  const actionsOf = (policy: Policy): Record<string, Action> => ({
    edit: {
      label: 'Change…',
      dialog: ({ onClose }) => <PolicyDialog {...{ policy, policies, onSaved, onClose }} />,
    },
    apply: {
      label: 'Apply…',
      isHidden: policy.max_lifetime_days === null,
      dialog: ({ onClose }) => (
        <ApplyPolicyDialog
          {...{ policy, onClose }}
          onApplied={({ shortened, receipt, change_id }) => {
            const text = `${plural(shortened, 'key expires', 'keys expire')} earlier now.`;
            return saved({ text, of: null, receipt }, change_id);
          }}
        />
      ),
    },
    remove: {
      label: 'Remove…',
      title: 'Remove the key policy',
      consequence: `Keys keep the expiry that they have. ${
        policy.tier === null
          ? 'The policy of its tier applies to the account from now on.'
          : 'No policy applies to the keys of this tier from now on.'
      } Warnings that idle keys will be disabled end.`,
      action: 'Remove',
      danger: true,
      onConfirm: async (reason) => {
        await api.DELETE(...placeOf(policy), { reason }, policy);
        await saved({ text: 'The key policy was removed.', of: policyName(policy) });
      },
    },
  });
  return (
    <Stack>
      <PageHeader
        title="Key policies"
        hint="What tiers and accounts require of their keys. The policy of an account replaces that of its tier."
      >
        {may('keys.write') && (
          <OpenButton variant="filled" label="New policy…">
            {(onClose) => <PolicyDialog {...{ policies, onSaved, onClose }} />}
          </OpenButton>
        )}
      </PageHeader>
      {done && <ReceiptBanner {...done}>{done.text}</ReceiptBanner>}
      <BulkChangesPanel createdId={appliedId} mayWrite={may('keys.write')} />
      <Panel>
        <LoadedTable
          name="Key policies"
          query={query}
          empty={['No key policies', 'Keys work until their own expiry, and idle keys cause no warning.']}
          rowId={(policy) => policyName(policy)}
          columns={[
            {
              header: 'For',
              cell: (policy) =>
                policy.tier === null ? (
                  <AccountName account={{ id: policy.account_id!, name: policy.account_name }} />
                ) : (
                  `tier ${policy.tier}`
                ),
            },
            { header: 'Longest lifetime', cell: (policy) => days(policy.max_lifetime_days) },
            { header: 'Rotation age', cell: (policy) => days(policy.rotation_age_days) },
            { header: 'Idle keys', cell: (policy) => idleText(policy) },
            { header: 'Keys have', cell: (policy) => demandsText(policy) },
            { header: 'New keys', cell: (policy) => newKeysText(policy) },
            { header: 'Changed', cell: (policy) => <Time at={policy.updated_at} relative /> },
            {
              header: <VisuallyHidden>Actions</VisuallyHidden>,
              cell: (policy) =>
                may(policy.tier === null ? 'keys.write' : 'key_policies.write') && (
                  <RowActions
                    of={policyName(policy)}
                    named={`the policy of ${policyName(policy)}`}
                    actions={actionsOf(policy)}
                  />
                ),
            },
          ]}
        />
      </Panel>
    </Stack>
  );
}

const days = (count: number | null) =>
  count === null ? <span className="gr-dimmed">none</span> : plural(count, 'day');

function idleText({ idle_warn_days: warn, idle_disable_days: disable }: Policy) {
  if (warn === null) return days(null);
  const warned = `warned after ${plural(warn, 'day')}`;
  return disable === null ? warned : `${warned}, disabled ${plural(disable, 'day')} later`;
}

function demandsText({ permissions, allow_list_required: needsList }: Policy) {
  const most = permissions === 'all' ? [] : [`at most ${plural(permissions.length, 'permission')}`];
  return textOf([...most, ...(needsList ? ['an allow-list'] : [])]);
}

function newKeysText(policy: Policy) {
  const { new_key_days: expiry, new_key_credit_limit: credits } = policy;
  const { new_key_requests_per_minute: requests, new_key_concurrency_limit: generations } = policy;
  return textOf([
    ...(expiry === null ? [] : [`expire after ${plural(expiry, 'day')}`]),
    ...(credits === null ? [] : [`${plural(credits, 'credit')} a period`]),
    ...(requests === null ? [] : [`${plural(requests, 'request')} a minute`]),
    ...(generations === null ? [] : [`${plural(generations, 'generation')} at once`]),
  ]);
}

const textOf = (parts: string[]) => (parts.length === 0 ? days(null) : parts.join(', '));
