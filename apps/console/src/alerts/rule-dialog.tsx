import { TIER_NAMES } from '@app/domain/accounts/tiers';
import { ALERT_KIND_NAMES, alertKind } from '@app/domain/alerts/alert-kinds';
import { channelsOf, scopesOf, type AlertChannel } from '@app/domain/alerts/alert-rule';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { fieldProblem } from '../api/problem';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Checks } from '../components/choice';
import { useEdited } from '../components/use-edited';
import { changedFields, type Described } from '../components/changed-fields';
import { toNumber, useFields } from '../components/use-fields';
import {
  CHANNEL_NAMES,
  ruleName,
  thresholdText,
  type Owner,
  addRule,
  editRule,
  type Rule,
} from './alert-calls';

export function RuleDialog(
  props: Closing & { owner: Owner; rule?: Rule; onDone: (of: string) => Promise<unknown> },
) {
  const { owner, rule, onDone, onClose } = props;
  const kinds = ALERT_KIND_NAMES.filter((kind) => owner === null || scopesOf(kind).includes('account'));
  const edited = useEdited(rule, describeRule);
  const { begun, problem } = edited;
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
    await call.catch(edited.keep);
    await onDone(ruleName({ kind, threshold }));
  };
  return (
    <ActionDialog
      title={rule ? 'Edit the rule' : 'New rule'}
      of={rule ? ruleName(rule) : null}
      consequence="The alert is sent once for each key or account and period, however often the rule matches."
      action={rule ? 'Save' : 'Add it'}
      fields={['kind', 'threshold', 'tier', 'key_id', 'channels']}
      edited={edited}
      onConfirm={save}
      onClose={onClose}
    >
      {!rule && (
        <NativeSelect
          label="What"
          data={kinds.map((value) => ({ value, label: alertKind(value).name }))}
          {...fields.text('kind', problem)}
        />
      )}
      {accepted !== null && (
        <TextInput
          label={accepted.when === 'within' ? `Within (${accepted.unit})` : `From (${accepted.unit})`}
          description={`${accepted.min} to ${accepted.max.toLocaleString('en-GB')}`}
          inputMode="decimal"
          required
          {...fields.text('threshold', problem)}
        />
      )}
      {!rule && owner === null && scopesOf(kind).includes('tier') && (
        <NativeSelect
          label="For"
          data={[
            { value: '', label: 'all accounts' },
            ...TIER_NAMES.map((tier) => ({ value: tier, label: `tier ${tier}` })),
          ]}
          {...fields.text('tier', problem)}
        />
      )}
      {!rule && owner !== null && (
        <TextInput
          label="Id of a key"
          description="Empty: for the account and all of its keys."
          {...fields.text('key_id', problem)}
        />
      )}
      <Checks
        label="Through"
        all={possible}
        nameOf={(channel) => CHANNEL_NAMES[channel]}
        value={channels}
        onChange={setChannels}
        error={fieldProblem(problem, 'channels')}
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
