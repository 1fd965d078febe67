import { alertKind, ALERT_KIND_NAMES, type AlertKind } from '@app/domain/alerts/alert-kinds';
import { useQuery } from '@tanstack/react-query';
import { TIER_NAMES } from '@app/domain/accounts/tiers';
import { channelsOf, scopesOf, type AlertChannel } from '@app/domain/alerts/alert-rule';
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { EditableList } from '../components/editable-list';
import { Name, StatusBadge } from '../components/inline';
import { formatNumber, plural } from '../components/number';
import { api, likePath } from '../api/client';
import { listRules, RULES, RULES_OF_ACCOUNT, type Owner, type Rule } from './alert-calls';
import { fieldProblem } from '../api/problem';
import { Checks, Tick, useEdited, toNumber, useFields } from '../components/fields';
import { changedFields, type Described } from '../components/changed-fields';

const RULE = `${RULES}/{rule_id}` as const;
const RULE_OF_ACCOUNT = likePath(RULE, `${RULES_OF_ACCOUNT}/{rule_id}`);

const ruleAt = ({ account_id, id: rule_id }: Rule) =>
  [account_id === null ? RULE : RULE_OF_ACCOUNT, { account_id, rule_id }] as const;

const CHANNEL_NAMES: Record<AlertChannel, string> = {
  webhook: 'Webhooks of the account',
  email: 'E-mail',
  chat: 'Chat hooks',
};

const ruleName = ({ kind, threshold }: { kind: AlertKind; threshold: number | null }): string =>
  `${alertKind(kind).name} ${thresholdText(kind, threshold)}`;

function thresholdText(kind: AlertKind, threshold: number | null): string {
  const accepted = alertKind(kind).threshold;
  if (accepted === null || threshold === null) return 'each time';
  const amount = formatNumber(threshold);
  const unit = threshold === 1 ? accepted.unit.replace(/s$/, '') : accepted.unit;
  if (accepted.unit === 'percent') return `at ${amount} %`;
  if (accepted.unit === 'times') return `${amount} times the usual`;
  return accepted.when === 'within' ? `within ${amount} ${unit}` : `from ${amount} ${unit}`;
}

export function RulesPanel({ owner, mayChange }: { owner: Owner; mayChange: boolean }) {
  const query = useQuery({ queryKey: ['alert-rules', owner], queryFn: () => listRules(owner) });
  const firsts = new Map(query.data?.items.toReversed().map(({ kind, id }) => [kind, id]));
  return (
    <EditableList
      title="Rules"
      noun="rule"
      hint="Of each kind, only the narrowest rules apply: those of the key, else of its account, else of the tier, else of the installation."
      empty={['No separate rules', 'The rules of the tier and the installation apply.']}
      query={query}
      mayChange={mayChange}
      actions={[
        {
          verb: 'Remove',
          title: 'Remove the rule',
          consequence: 'If it is the last of its kind in this scope, the wider rules apply instead.',
          danger: true,
          send: (rule, reason) => api.DELETE(...ruleAt(rule), { reason }, rule),
          done: 'The rule was removed.',
        },
      ]}
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
      dialog={({ row: rule, onDone, onClose }) => (
        <RuleDialog {...{ owner, rule, onClose }} onDone={(of) => onDone('The rule was saved.', of)} />
      )}
    />
  );
}

function latelyText({ alerts, accounts }: Rule['last_30_days']): string {
  if (alerts === 0) return 'nothing';
  return `${plural(alerts, 'alert')}${accounts === 0 ? '' : `, ${plural(accounts, 'account')}`}`;
}

function Scope({ rule }: { rule: Rule }) {
  if (rule.scope === 'key') return <Name>{rule.key_name ?? 'a deleted key'}</Name>;
  if (rule.scope === 'tier') return `tier ${rule.tier}`;
  return rule.scope === 'account' ? 'the account' : 'all accounts';
}

function RuleDialog(
  props: Closing & { owner: Owner; rule?: Rule; onDone: (of: string) => Promise<unknown> },
) {
  const { owner, rule, onDone, onClose } = props;
  const kinds = ALERT_KIND_NAMES.filter((kind) => owner === null || scopesOf(kind).includes('account'));
  const edited = useEdited(rule, describeRule);
  const { begun } = edited;
  const fields = useFields({
    kind: begun?.kind ?? 'credits_used',
    tier: '',
    key_id: '',
    threshold: String(begun?.threshold ?? ''),
  });
  const [channels, setChannels] = useState<AlertChannel[]>(begun?.channels ?? ['email', 'chat']);
  const [enabled, setEnabled] = useState(begun?.enabled ?? true);
  const { kind, tier, key_id } = fields.values;
  const possible = channelsOf(kind);
  const accepted = alertKind(kind).threshold;
  const save = async (reason: string) => {
    const threshold = accepted === null ? null : toNumber(fields.values.threshold);
    const chosen = channels.filter((channel) => possible.includes(channel));
    const body = { threshold, channels: chosen, enabled };
    if (begun && edited.base) {
      const changes = { ...changedFields(settingsOf(begun), body), reason };
      await api.PATCH(...ruleAt(edited.base), changes, edited.base);
    } else if (owner === null) {
      await api.POST(RULES, {}, { ...body, kind, tier: (tier || null) as Rule['tier'], reason });
    } else await api.POST(RULES_OF_ACCOUNT, owner, { ...body, kind, key_id: key_id.trim() || null, reason });
    await onDone(ruleName({ kind, threshold }));
  };
  return (
    <ActionDialog
      title={rule ? 'Edit the rule' : 'New rule'}
      of={rule ? ruleName(rule) : null}
      consequence="The alert is sent once for each key or account and period, however often the rule matches."
      action={rule ? 'Save' : 'Add it'}
      form={fields}
      fields={['channels']}
      edited={edited}
      onConfirm={save}
      onClose={onClose}
    >
      {!rule && (
        <NativeSelect
          label="What"
          data={kinds.map((value) => ({ value, label: alertKind(value).name }))}
          {...fields.text('kind')}
        />
      )}
      {accepted !== null && (
        <TextInput
          label={accepted.when === 'within' ? `Within (${accepted.unit})` : `From (${accepted.unit})`}
          description={`${accepted.min} to ${formatNumber(accepted.max)}`}
          inputMode="decimal"
          required
          {...fields.text('threshold')}
        />
      )}
      {!rule && owner === null && scopesOf(kind).includes('tier') && (
        <NativeSelect
          label="For"
          data={[
            { value: '', label: 'all accounts' },
            ...TIER_NAMES.map((tier) => ({ value: tier, label: `tier ${tier}` })),
          ]}
          {...fields.text('tier')}
        />
      )}
      {!rule && owner !== null && (
        <TextInput
          label="Id of a key"
          description="Empty: for the account and all of its keys."
          {...fields.text('key_id')}
        />
      )}
      <Checks
        label="Through"
        all={possible}
        nameOf={(channel) => CHANNEL_NAMES[channel]}
        value={channels}
        onChange={setChannels}
        error={fieldProblem(fields.problem, 'channels')}
      />
      <Tick
        label="The rule is on"
        description="A rule that is off sends nothing, and no wider rule does so in its place."
        checked={enabled}
        onPick={setEnabled}
      />
    </ActionDialog>
  );
}

const settingsOf = ({ threshold, channels, enabled }: Rule) => ({ threshold, channels, enabled });

function describeRule({ kind, threshold, channels, enabled }: Rule): Described {
  return [
    ['when', thresholdText(kind, threshold)],
    ['through', channels.map((channel) => CHANNEL_NAMES[channel]).join(', ') || 'nothing'],
    ['status', enabled ? 'on' : 'off'],
  ];
}
