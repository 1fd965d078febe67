import { TIER_NAMES } from '@app/domain/accounts/tiers';
import {
  GRACE_DAYS,
  POLICY_FIELD_NAMES,
  POLICY_FIELDS,
  type PolicyFieldName,
  NO_RULES,
  toWireRules,
} from '@app/domain/keys/key-policy';
import { Input, SimpleGrid, TextInput, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api, type Schema, refresh, useMay } from '../api/client';
import { fieldProblem } from '../api/problem';
import { PermissionPicker } from '../api-keys/permission-picker';
import { Choice, toNumber, useFields } from '../components/fields';
import { AccountField } from '../components/account-field';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Loaded } from '../components/page';
import { Banner } from '../components/banner';
import { useDryRun } from '../components/use-dry-run';
import { currentOf, placeOf, policyName, type Policy, type Rules, type Scope } from './policy';
import { PolicyDryRun } from './policy-dry-run';
import { UNDO_CHOICES } from '../components/undo-banner';

const AN_ACCOUNT = 'account';
/** The version of a tier or an account without a policy. */
const NO_POLICY = { version: 0 };

/** What is typed or chosen in a field; permissions are picked. */
type TypedField = Exclude<PolicyFieldName, 'permissions'>;
const TYPED = POLICY_FIELD_NAMES.filter((name) => name !== 'permissions');
const COUNTS = TYPED.filter((name) => name !== 'allow_list_required');

export function PolicyDialog(props: {
  policy?: Policy;
  policies: Policy[];
  onSaved: (of: string | null) => Promise<unknown>;
  onClose: () => void;
}) {
  const { policy, policies, onSaved, onClose } = props;
  const text = (value: number | boolean | null | undefined) => (value ? String(value) : '');
  const fields = useFields(
    Object.fromEntries(TYPED.map((name) => [name, text(policy?.[name])])) as Record<TypedField, string>,
  );
  const [permissions, setPermissions] = useState(
    (policy?.permissions as Rules['permissions'] | undefined) ?? 'all',
  );
  const [scope, setScope] = useState<Scope | null>(policy ?? null);
  const rules = {
    ...Object.fromEntries(COUNTS.map((name) => [name, toNumber(fields.values[name])])),
    allow_list_required: fields.values.allow_list_required === 'true' || null,
    permissions,
  } as Rules;
  const isTaken =
    !policy && policies.some(({ account_id }) => account_id !== null && account_id === scope?.account_id);
  const tried = scope && { scope: { tier: scope.tier, account_id: scope.account_id }, rules };
  const [dryRun, isCurrent] = useDryRun(['key-policy-dry-run'], tried, async ({ scope, rules }) => {
    const [at, id] = placeOf(scope);
    return { rules, impact: await api.POST(`${at}/dry-run`, id, { ...rules, grace_days: GRACE_DAYS }) };
  });
  const save = async (reason: string) => {
    const [at, id] = placeOf(scope!);
    const seen = currentOf(policies, scope!) ?? NO_POLICY;
    await api.PUT(at, id, { ...rules, reason }, seen);
    const { tier } = scope!;
    await onSaved(policy ? policyName(policy) : tier && `tier ${tier}`);
  };
  return (
    <ActionDialog
      title={policy ? 'Change the key policy' : 'New key policy'}
      of={policy ? policyName(policy) : null}
      consequence="Saving it changes no key that exists, but for idle ones. From then on a later expiry is refused. A policy of an account replaces that of its tier, also where a field is empty."
      action="Save"
      disabled={scope === null || isTaken || !isCurrent}
      form={fields}
      fields={['permissions']}
      onConfirm={save}
      onClose={onClose}
    >
      {!policy && <ScopeFields policies={policies} onPick={setScope} />}
      {isTaken && (
        <Banner tone="warn" alert title="This account has a key policy.">
          Change it in the list: a new one would replace all of it.
        </Banner>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {COUNTS.map((name) => (
          <TextInput
            key={name}
            label={POLICY_FIELDS[name].label}
            description={POLICY_FIELDS[name].hint}
            inputMode="numeric"
            {...fields.text(name, fields.problem ?? dryRun.error)}
          />
        ))}
        <Choice
          label={POLICY_FIELDS.allow_list_required.label}
          description={POLICY_FIELDS.allow_list_required.hint}
          value={fields.values.allow_list_required}
          onPick={(allow_list_required) => fields.set({ allow_list_required })}
          data={[
            { value: '', label: 'Not required' },
            { value: 'true', label: 'Required' },
          ]}
        />
      </SimpleGrid>
      {scope !== null && (
        <div className="gr-stays" style={{ top: 52, zIndex: 1, maxHeight: '40vh' }}>
          <Loaded query={dryRun} lines={2}>
            {(done) => <PolicyDryRun {...done} />}
          </Loaded>
        </div>
      )}
      <Input.Wrapper
        label={POLICY_FIELDS.permissions.label}
        description={POLICY_FIELDS.permissions.hint}
        labelElement="div"
      >
        <PermissionPicker
          value={permissions}
          onChange={setPermissions}
          error={fieldProblem(fields.problem ?? dryRun.error, 'permissions')}
        />
      </Input.Wrapper>
    </ActionDialog>
  );
}

function ScopeFields({ policies, onPick }: { policies: Policy[]; onPick: (scope: Scope | null) => void }) {
  const may = useMay();
  const tiers = may('key_policies.write')
    ? TIER_NAMES.filter((tier) => policies.every((policy) => policy.tier !== tier))
    : [];
  const [chosen, setChosen] = useState('');
  const choose = (value: string) => {
    setChosen(value);
    const tier = tiers.find((name) => name === value);
    onPick(tier ? { tier, account_id: null } : null);
  };
  return (
    <>
      <Choice
        label="For"
        data-autofocus
        value={chosen}
        onPick={choose}
        data={[
          { value: '', label: 'Choose…', disabled: true },
          ...tiers.map((tier) => ({ value: tier as string, label: `tier ${tier}` })),
          { value: AN_ACCOUNT, label: 'one account' },
        ]}
      />
      {chosen === AN_ACCOUNT && <AccountField onPick={(account_id) => onPick({ tier: null, account_id })} />}
    </>
  );
}

export function ApplyPolicyDialog(
  props: Closing & { policy: Policy; onApplied: (done: Schema['AppliedPolicyResponse']) => Promise<unknown> },
) {
  const { policy, onApplied, onClose } = props;
  const fields = useFields({ grace_days: String(GRACE_DAYS), undo: '' });
  const [at, id] = placeOf(policy);
  const rules: Rules = {
    ...toWireRules(NO_RULES),
    permissions: 'all',
    max_lifetime_days: policy.max_lifetime_days,
  };
  const grace_days = toNumber(fields.values.grace_days) ?? GRACE_DAYS;
  const [dryRun, isCurrent] = useDryRun(['key-policy-dry-run', policy], { ...rules, grace_days }, (body) =>
    api.POST(`${at}/dry-run`, id, body),
  );
  const count = (isCurrent && dryRun.data?.shortened) || 0;
  const apply = async (reason: string) => {
    const undo_after_minutes = toNumber(fields.values.undo);
    const body = { grace_days, confirm: String(count), reason, undo_after_minutes };
    const call = api.POST(`${at}/apply`, id, body, policy);
    await onApplied(await call.finally(() => void dryRun.refetch()));
    await refresh(['bulk-key-changes'], ['api-keys']);
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
      form={fields}
      onConfirm={apply}
      onClose={onClose}
    >
      <TextInput
        label="Days of grace"
        description="For keys that are older than that already: how long they keep working."
        inputMode="numeric"
        {...fields.text('grace_days', fields.problem ?? dryRun.error)}
      />
      <NativeSelect label="Undo automatically" data={UNDO_CHOICES} {...fields.text('undo')} />
    </ActionDialog>
  );
}
