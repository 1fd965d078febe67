import { TIERS, TIER_NAMES } from '@app/domain/accounts/tiers';
import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { api, ifMatch, unwrap, type Schema } from '../api/client';
import { refresh } from '../api/query-client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { LABEL_FIELDS, LabelInputs, toExternalId, toTags } from '../components/labels';
import { formatNumber } from '../components/number';
import { fromLocalInput } from '../components/local-time';
import { TheirChanges } from '../components/their-changes';
import { UntilInput } from '../components/until-input';
import { changedFields, type Described } from '../components/changed-fields';
import { useEdited } from '../components/use-edited';
import { toNumber, useFields } from '../components/use-fields';
import { useRefusal } from '../components/use-refusal';

type Detail = Schema['AccountDetailResponse'];
type Values = ReturnType<typeof valuesOf>;
type Fields = ReturnType<typeof useFields<Values>>;

const NAMES = [
  'name',
  'tier',
  'credit_limit',
  'voice_limit',
  'concurrency_limit',
  'revert_at',
  ...LABEL_FIELDS,
];

function valuesOf(account?: Detail) {
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? '' : String(value);
  return {
    name: account?.name ?? '',
    tier: account?.tier ?? ('free' as const),
    credit_limit: text(account?.limits.credits_override),
    voice_limit: text(account?.limits.voices.override),
    concurrency_limit: text(account?.limits.concurrency.override),
    tags: (account?.tags ?? []).join(' '),
    external_id: account?.external_id ?? '',
    revert_at: '',
  };
}

function toBody(values: Values) {
  return {
    name: values.name,
    tier: values.tier,
    credit_limit: toNumber(values.credit_limit),
    voice_limit: toNumber(values.voice_limit),
    concurrency_limit: toNumber(values.concurrency_limit),
    tags: toTags(values.tags),
    external_id: toExternalId(values.external_id),
  };
}

/** Opens an account. */
export function CreateAccountDialog({ onClose }: { onClose: () => void }) {
  const fields = useFields(valuesOf());
  const navigate = useNavigate();
  const refusal = useRefusal();
  const create = async (reason: string) => {
    const call = unwrap(api.POST('/admin/accounts', { body: { ...toBody(fields.values), reason } }));
    const { id } = await call.catch(refusal.keep);
    await navigate({ to: '/accounts/$accountId', params: { accountId: id } });
  };
  return (
    <ActionDialog
      title="New account"
      of={null}
      consequence="You can create keys for it right away. Its billing period begins now."
      action="Open the account"
      fields={NAMES}
      onConfirm={create}
      onClose={onClose}
    >
      <AccountInputs fields={fields} problem={refusal.problem} />
    </ActionDialog>
  );
}

/** Changes the name, the tier and the limits of an account. */
export function EditAccountDialog({
  account,
  onSaved,
  onClose,
}: Closing & { account: Detail; onSaved: (saved: Detail) => void }) {
  const edited = useEdited(account, describeAccount);
  const fields = useFields(valuesOf(edited.begun));
  const edit = async (reason: string) => {
    const params = { path: { account_id: account.id }, header: ifMatch(edited.base) };
    const revert_at = fromLocalInput(fields.values.revert_at) ?? undefined;
    const body = {
      ...changedFields(toBody(valuesOf(edited.begun)), toBody(fields.values)),
      revert_at,
      reason,
    };
    const call = unwrap(api.PATCH('/admin/accounts/{account_id}', { params, body }));
    onSaved(await call.catch(edited.keep));
    void refresh(['accounts']);
  };
  return (
    <ActionDialog
      title="Edit the account"
      of={account.name}
      consequence="A new tier or limit applies from the next request on. Credits used in this period stay used."
      action="Save"
      fields={NAMES}
      isUnaffected={edited.isUnaffected}
      onConfirm={edit}
      onClose={onClose}
    >
      <AccountInputs fields={fields} problem={edited.problem} />
      <UntilInput
        what="the tier and the limits that you change go back"
        field={fields.text('revert_at', edited.problem)}
      />
      <TheirChanges theirs={edited.theirs} />
    </ActionDialog>
  );
}

function describeAccount({ name, tier, limits, tags, external_id }: Detail): Described {
  const ofTier = 'from the tier';
  return [
    ['name', name],
    ['tier', tier],
    ['credits a period', String(limits.credits_override ?? ofTier)],
    ['voices', String(limits.voices.override ?? ofTier)],
    ['at the same time', String(limits.concurrency.override ?? ofTier)],
    ['tags', tags.join(' ') || 'none'],
    ['external id', external_id ?? 'none'],
  ];
}

function AccountInputs({ fields, problem }: { fields: Fields; problem: unknown }) {
  const tier = TIERS[fields.values.tier];
  const ofTier = (value: number) => `From the tier: ${formatNumber(value)}`;
  return (
    <>
      <TextInput label="Name" required {...fields.text('name', problem)} />
      <NativeSelect label="Tier" data={TIER_NAMES} {...fields.text('tier', problem)} />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput
          label="Credits a period"
          inputMode="numeric"
          placeholder={ofTier(tier.credits)}
          {...fields.text('credit_limit', problem)}
        />
        <TextInput
          label="Voices"
          inputMode="numeric"
          placeholder={ofTier(tier.voiceSlots)}
          {...fields.text('voice_limit', problem)}
        />
        <TextInput
          label="At the same time"
          inputMode="numeric"
          placeholder={ofTier(tier.concurrency)}
          {...fields.text('concurrency_limit', problem)}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <LabelInputs text={fields.text} problem={problem} />
      </SimpleGrid>
    </>
  );
}
