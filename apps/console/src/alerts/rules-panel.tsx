import { alertKind, ALERT_KIND_NAMES } from '@app/domain/alerts/alert-kinds';
import { useQuery } from '@tanstack/react-query';
import { TIER_NAMES } from '@app/domain/accounts/tiers';
import { channelsOf, scopesOf, type AlertChannel } from '@app/domain/alerts/alert-rule';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { EditableList } from '../components/editable-list';
import { Name, StatusBadge } from '../components/inline';
import { plural } from '../components/number';
import {
  CHANNEL_NAMES,
  ruleName,
  thresholdText,
  type Owner,
  listRules,
  removeRule,
  rulesKey,
  type Rule,
  addRule,
  editRule,
} from './alert-calls';
import { fieldProblem } from '../api/problem';
import { Checks, useEdited, toNumber, useFields } from '../components/fields';
import { changedFields, type Described } from '../components/changed-fields';

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
      mayChange={mayChange}
      actions={[
        {
          verb: 'Remove',
          title: 'Remove the rule',
          consequence: 'If it is the last of its kind in this scope, the wider rules apply instead.',
          danger: true,
          send: removeRule,
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
  if (rule.scope === 'tier') return <>tier {rule.tier}</>;
  if (rule.scope === 'key') return <Name>{rule.key_name ?? 'a deleted key'}</Name>;
  return <>{rule.scope === 'account' ? 'the account' : 'all accounts'}</>;
}

export function RuleDialog(
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
  const { kind } = fields.values;
  const possible = channelsOf(kind);
  const accepted = alertKind(kind).threshold;
  const save = async (reason: string) => {
    const threshold = accepted === null ? null : toNumber(fields.values.threshold);
    const chosen = channels.filter((channel) => possible.includes(channel));
    const body = { threshold, channels: chosen, enabled };
    const { tier, key_id } = fields.values;
    const scope = { tier: (tier || null) as Rule['tier'], key_id: key_id.trim() || null };
    const call =
      begun && edited.base
        ? editRule(edited.base, { ...changedFields(settingsOf(begun), body), reason })
        : addRule(owner, { ...body, kind, ...scope, reason });
    await call;
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
          description={`${accepted.min} to ${accepted.max.toLocaleString('en-GB')}`}
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
      <Checkbox
        label="The rule is on"
        description="A rule that is off sends nothing, and no wider rule does so in its place."
        checked={enabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
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
