import { alertKind } from '@app/domain/alerts/alert-kinds';
import { useQuery } from '@tanstack/react-query';
import { ActionDialog } from '../components/action-dialog';
import { EditableList } from '../components/editable-list';
import { Name } from '../components/name';
import { plural } from '../components/number';
import { StatusBadge } from '../components/banner';
import {
  CHANNEL_NAMES,
  ruleName,
  thresholdText,
  type Owner,
  listRules,
  removeRule,
  rulesKey,
  type Rule,
} from './alert-calls';
import { RuleDialog } from './rule-dialog';

const ACTIONS = [
  ['edit', 'Edit…'],
  ['remove', 'Remove…'],
] as const;

/** When an alert is sent, by kind: of the installation and its tiers, or of an account and its keys. */
export function RulesPanel({ owner, mayChange }: { owner: Owner; mayChange: boolean }) {
  const query = useQuery({ queryKey: rulesKey(owner), queryFn: () => listRules(owner) });
  const firsts = new Map(query.data?.items.toReversed().map(({ kind, id }) => [kind, id]));
  return (
    <EditableList
      title="Rules"
      noun="rule"
      hint="Of each kind, only the narrowest rules apply: those of the key, else of its account, else of the tier, else of the installation."
      empty={['No separate rules', 'The rules of the tier and the installation apply.']}
      query={query}
      actions={mayChange ? ACTIONS : null}
      nameOf={ruleName}
      columns={[
        {
          header: 'What',
          cell: ({ id, kind }) => firsts.get(kind) === id && <strong>{alertKind(kind).name}</strong>,
        },
        { header: 'When', cell: ({ kind, threshold }) => thresholdText(kind, threshold) },
        { header: 'For', cell: (rule) => <Scope rule={rule} /> },
        {
          header: 'Through',
          cell: ({ channels }) => channels.map((each) => CHANNEL_NAMES[each]).join(', ') || 'nothing',
        },
        { header: 'Raised in 30 days', cell: ({ last_30_days: lately }) => latelyText(lately) },
        {
          header: 'Status',
          cell: ({ enabled }) => (
            <StatusBadge tone={enabled ? 'good' : 'calm'}>{enabled ? 'on' : 'off'}</StatusBadge>
          ),
        },
      ]}
      dialog={({ action, row: rule, onDone, onClose }) =>
        action === 'remove' && rule ? (
          <ActionDialog
            title="Remove the rule"
            of={ruleName(rule)}
            consequence="If it is the last of its kind in this scope, the wider rules apply instead."
            action="Remove"
            danger
            onConfirm={async (reason) => {
              await removeRule(rule, reason);
              await onDone('The rule was removed.');
            }}
            onClose={onClose}
          />
        ) : (
          <RuleDialog
            owner={owner}
            rule={rule}
            onDone={(of) => onDone('The rule was saved.', of)}
            onClose={onClose}
          />
        )
      }
    />
  );
}

/** How often it was raised, and for how many accounts. */
function latelyText({ alerts, accounts }: Rule['last_30_days']): string {
  if (alerts === 0) return 'nothing';
  return `${plural(alerts, 'alert')}${accounts === 0 ? '' : `, ${plural(accounts, 'account')}`}`;
}

function Scope({ rule }: { rule: Rule }) {
  if (rule.scope === 'tier') return <>tier {rule.tier}</>;
  if (rule.scope === 'key') return <Name>{rule.key_name ?? 'a deleted key'}</Name>;
  return <>{rule.scope === 'account' ? 'the account' : 'all accounts'}</>;
}
