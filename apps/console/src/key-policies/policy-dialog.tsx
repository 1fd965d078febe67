import { TIER_NAMES } from '@app/domain/accounts/tiers';
import {
  GRACE_DAYS,
  POLICY_FIELD_NAMES,
  POLICY_FIELDS,
  type PolicyFieldName,
  type WirePolicyRules,
} from '@app/domain/keys/key-policy';
import { SimpleGrid, TextInput } from '@mantine/core';
import { Choice } from '../components/choice';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AccountField } from '../components/account-field';
import { ActionDialog } from '../components/action-dialog';
import { Loaded } from '../components/loading';
import { Banner } from '../components/banner';
import { toNumber, useFields } from '../components/use-fields';
import { useRefusal } from '../components/use-refusal';
import { useMay } from '../api/me';
import {
  currentOf,
  policyName,
  savePolicy,
  scopeOf,
  tryPolicy,
  type Policy,
  type Scope,
} from './policy-calls';
import { PolicyDryRun } from './policy-dry-run';

const TYPING_MS = 300;
const AN_ACCOUNT = 'account';

/** Sets what a tier or an account demands of its keys: shows first how many keys it would touch, and when. */
export function PolicyDialog({
  policy,
  policies,
  onSaved,
  onClose,
}: {
  /** The one that is changed; a new one without. */
  policy?: Policy;
  /** Those that exist. */
  policies: Policy[];
  onSaved: (of: string | null) => Promise<unknown>;
  onClose: () => void;
}) {
  const text = (value: number | null | undefined) => (value ? String(value) : '');
  const fields = useFields(
    Object.fromEntries(POLICY_FIELD_NAMES.map((name) => [name, text(policy?.[name])])) as Record<
      PolicyFieldName,
      string
    >,
  );
  const [scope, setScope] = useState<Scope | null>(policy ? scopeOf(policy) : null);
  const { problem, keep } = useRefusal();
  const rules = Object.fromEntries(
    POLICY_FIELD_NAMES.map((name) => [name, toNumber(fields.values[name])]),
  ) as unknown as WirePolicyRules;
  const isTaken =
    !policy && policies.some(({ account_id }) => account_id !== null && account_id === scope?.account_id);
  const requested = JSON.stringify({ scope, rules });
  const [tried] = useDebouncedValue(requested, TYPING_MS);
  const dryRun = useQuery({
    queryKey: ['key-policy-dry-run', tried],
    queryFn: async () => {
      const requested = JSON.parse(tried) as { scope: Scope; rules: WirePolicyRules };
      return {
        rules: requested.rules,
        impact: await tryPolicy(requested.scope, { ...requested.rules, grace_days: GRACE_DAYS }),
      };
    },
    placeholderData: keepPreviousData,
    enabled: (JSON.parse(tried) as { scope: Scope | null }).scope !== null,
    staleTime: 0,
    retry: false,
  });
  const save = async (reason: string) => {
    await savePolicy(scope!, { ...rules, reason }, currentOf(policies, scope!)).catch(keep);
    const { tier } = scope!;
    await onSaved(policy ? policyName(policy) : tier && `tier ${tier}`);
  };
  return (
    <ActionDialog
      title={policy ? 'Change the key policy' : 'New key policy'}
      of={policy ? policyName(policy) : null}
      consequence="Saving it changes no key that exists, but for idle ones. From then on a later expiry is refused. A policy of an account replaces that of its tier, also where a field is empty."
      action="Save"
      disabled={
        scope === null ||
        isTaken ||
        dryRun.data === undefined ||
        dryRun.isPlaceholderData ||
        tried !== requested
      }
      fields={POLICY_FIELD_NAMES}
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
        {POLICY_FIELD_NAMES.map((name) => (
          <TextInput
            key={name}
            label={POLICY_FIELDS[name].label}
            description={POLICY_FIELDS[name].hint}
            inputMode="numeric"
            {...fields.text(name, problem ?? dryRun.error)}
          />
        ))}
      </SimpleGrid>
      {scope !== null && (
        <Loaded query={dryRun} lines={2}>
          {(done) => <PolicyDryRun {...done} />}
        </Loaded>
      )}
    </ActionDialog>
  );
}

/** A tier that has no policy yet, or an account. */
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
