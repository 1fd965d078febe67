import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, read, type Schema, refresh } from '../api/client';
import { ActionButton } from '../components/action-dialog';
import { formatNumber, plural, humanize } from '../components/number';
import { Panel } from '../components/page';
import { ProblemBanner } from '../components/banner';
import { StatusBadge } from '../components/inline';

type Policy = Schema['RolePolicyResponse'];

const KEY = ['role-policies'];

export function RolePoliciesPanel() {
  const query = useQuery(read(KEY, '/admin/roles'));
  return (
    <Panel title="Second factor by role" gap="xs">
      <ProblemBanner error={query.error} onRetry={() => void query.refetch()} />
      {query.data?.items.map((policy) => (
        <Group key={policy.role} justify="space-between">
          <div>
            <Text>{humanize(policy.role)}</Text>
            <span className="gr-dimmed">{whoHasNone(policy)}</span>
          </div>
          <Group gap="sm">
            <StatusBadge tone={policy.second_factor_required ? 'good' : 'warn'}>
              {policy.second_factor_required ? 'required' : 'optional'}
            </StatusBadge>
            <ChangeButton policy={policy} />
          </Group>
        </Group>
      ))}
    </Panel>
  );
}

function ChangeButton({ policy }: { policy: Policy }) {
  const { role, second_factor_required: required } = policy;
  const change = async (reason: string) => {
    const body = { second_factor_required: !required, reason };
    await api.PATCH('/admin/roles/{role}', role, body, policy);
    await refresh(KEY);
  };
  return (
    <ActionButton
      label={`${verb(policy)}…`}
      name={`${verb(policy)} of ${humanize(role)}`}
      size="xs"
      title={verb(policy)}
      of={humanize(role)}
      consequence={
        required
          ? 'Members of this role may remove their second factor.'
          : `${whoHasNone(policy)} ${REQUIRED}`
      }
      onConfirm={change}
    />
  );
}

const REQUIRED =
  'Those without one must set it up before they can do anything else, including in open sessions.';

/** What requiring it would meet. */
function whoHasNone({ members, without_second_factor: without }: Policy): string {
  if (members === 0) return 'No active members.';
  const all = plural(members, 'active member');
  return without === 0
    ? `${all}, none without a second factor.`
    : `${formatNumber(without)} of ${all} ${without === 1 ? 'has' : 'have'} no second factor.`;
}

const verb = ({ second_factor_required }: Policy): string =>
  second_factor_required ? 'Make it optional' : 'Require it';
