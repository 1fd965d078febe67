import { SimpleTable } from '../components/simple-table';
import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionDialog } from '../components/action-dialog';
import { Empty, Loaded } from '../components/loading';
import { Name } from '../components/name';
import { Notice } from '../components/notice';
import { Panel } from '../components/page';
import { StatusBadge } from '../components/status-badge';
import { CHANNEL_NAMES, KIND_NAMES, thresholdText } from './alert-words';
import type { Owner } from './contact-calls';
import { listRules, removeRule, rulesKey, type Rule } from './rule-calls';
import { RuleDialog } from './rule-dialog';

type Action = { what: 'add' } | { what: 'edit' | 'remove'; rule: Rule };

/** When an alert is sent: about the installation and its tiers, or of an account and its keys. */
export function RulesPanel({ owner, mayChange }: { owner: Owner; mayChange: boolean }) {
  const [action, setAction] = useState<Action | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const query = useQuery({ queryKey: rulesKey(owner), queryFn: () => listRules(owner) });
  const saved = async (text: string) => {
    setDone(text);
    await query.refetch();
  };
  const begun = action === null || action.what === 'add' ? undefined : action.rule;
  const rule = query.data?.items.find(({ id }) => id === begun?.id) ?? begun;
  return (
    <Panel
      title="Rules"
      actions={
        mayChange && (
          <Button size="xs" onClick={() => setAction({ what: 'add' })}>
            New rule…
          </Button>
        )
      }
    >
      <Stack>
        {done !== null && <Notice tone="good">{done}</Notice>}
        <div className="gr-dimmed">
          Of each kind, only the narrowest rules apply: those of the key, else of its account, else of the
          tier, else of the installation.
        </div>
        <Loaded query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No rules of its own">The rules of the tier and the installation apply.</Empty>
            ) : (
              <RulesTable items={items} onAction={mayChange ? setAction : undefined} />
            )
          }
        </Loaded>
      </Stack>
      {action !== null && action.what !== 'remove' && (
        <RuleDialog
          owner={owner}
          rule={rule}
          onDone={() => saved('The rule was saved.')}
          onClose={() => setAction(null)}
        />
      )}
      {action?.what === 'remove' && rule && (
        <ActionDialog
          title="Remove the rule"
          consequence="If it is the last of its kind in this scope, the wider rules apply instead."
          action="Remove"
          danger
          onConfirm={async (reason) => {
            await removeRule(rule, reason);
            await saved('The rule was removed.');
          }}
          onClose={() => setAction(null)}
        />
      )}
    </Panel>
  );
}

function RulesTable({ items, onAction }: { items: Rule[]; onAction?: (action: Action) => void }) {
  return (
    <SimpleTable
      name="Rules"
      rows={items}
      rowId={(rule) => rule.id}
      columns={[
        { header: 'What', cell: (rule) => KIND_NAMES[rule.kind] },
        { header: 'When', cell: (rule) => thresholdText(rule.kind, rule.threshold) },
        { header: 'For', cell: (rule) => <Scope rule={rule} /> },
        {
          header: 'Through',
          cell: (rule) => rule.channels.map((channel) => CHANNEL_NAMES[channel]).join(', ') || 'nothing',
        },
        {
          header: 'Status',
          cell: (rule) => (
            <StatusBadge tone={rule.enabled ? 'good' : 'calm'}>{rule.enabled ? 'on' : 'off'}</StatusBadge>
          ),
        },
        onAction && {
          header: 'Actions',
          cell: (rule) => (
            <Group gap={4}>
              {(['edit', 'remove'] as const).map((what) => (
                <Button
                  key={what}
                  size="compact-xs"
                  variant="default"
                  aria-label={`${VERBS[what]} ${KIND_NAMES[rule.kind]} ${thresholdText(rule.kind, rule.threshold)}`}
                  onClick={() => onAction({ what, rule })}
                >
                  {VERBS[what]}…
                </Button>
              ))}
            </Group>
          ),
        },
      ]}
    />
  );
}

const VERBS = { edit: 'Edit', remove: 'Remove' } as const;

function Scope({ rule }: { rule: Rule }) {
  if (rule.scope === 'tier') return <>tier {rule.tier}</>;
  if (rule.scope === 'key') return <Name>{rule.key_name ?? 'a deleted key'}</Name>;
  return <>{rule.scope === 'account' ? 'the account' : 'all accounts'}</>;
}
