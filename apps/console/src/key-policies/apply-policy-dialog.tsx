import { GRACE_DAYS, NO_RULES, toWireRules } from '@app/domain/keys/key-policy';
import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, type Schema, refresh } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Loaded } from '../components/page';
import { UNDO_CHOICES } from '../components/undo-countdown';
import { toNumber, useFields, useRefusal } from '../components/use-fields';
import { placeOf, policyName, type Policy, type Rules } from './policy';
import { PolicyDryRun } from './policy-dry-run';

const TYPING_MS = 300;

/** Gives the keys that work for longer than a policy allows the expiry that it does. Their number has to be typed. */
export function ApplyPolicyDialog(
  props: Closing & { policy: Policy; onApplied: (done: Schema['AppliedPolicyResponse']) => Promise<unknown> },
) {
  const { policy, onApplied, onClose } = props;
  const fields = useFields({ grace_days: String(GRACE_DAYS), undo: '' });
  const { problem, keep } = useRefusal();
  const [grace] = useDebouncedValue(fields.values.grace_days, TYPING_MS);
  const [at, id] = placeOf(policy);
  const rules: Rules = {
    ...toWireRules(NO_RULES),
    permissions: 'all',
    max_lifetime_days: policy.max_lifetime_days,
  };
  const graceDays = (text: string) => toNumber(text) ?? GRACE_DAYS;
  const dryRun = useQuery({
    queryKey: ['key-policy-dry-run', policy, grace],
    queryFn: () => api.POST(`${at}/dry-run`, id, { ...rules, grace_days: graceDays(grace) }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
  const isTried = dryRun.data && !dryRun.isPlaceholderData && grace === fields.values.grace_days;
  const count = isTried ? dryRun.data.shortened : 0;
  const apply = async (reason: string) => {
    const { grace_days, undo } = fields.values;
    const body = {
      grace_days: graceDays(grace_days),
      confirm: String(count),
      reason,
      undo_after_minutes: undo === '' ? null : Number(undo),
    };
    try {
      await onApplied(await api.POST(`${at}/apply`, id, body, policy));
      await refresh(['bulk-key-changes'], ['api-keys']);
    } catch (error) {
      void dryRun.refetch();
      keep(error);
    }
  };
  return (
    <ActionDialog
      title="Apply the longest lifetime"
      of={policyName(policy)}
      consequence={
        <Loaded query={dryRun} lines={2}>
          {(impact) => <PolicyDryRun rules={rules} impact={impact} />}
        </Loaded>
      }
      action="Let them expire"
      danger
      typed={count > 0 ? String(count) : undefined}
      disabled={count === 0}
      fields={['grace_days']}
      onConfirm={apply}
      onClose={onClose}
    >
      <TextInput
        label="Days of grace"
        description="For keys that are older than that already: how long they keep working."
        inputMode="numeric"
        {...fields.text('grace_days', problem ?? dryRun.error)}
      />
      <NativeSelect label="Undo automatically" data={UNDO_CHOICES} {...fields.text('undo')} />
    </ActionDialog>
  );
}
