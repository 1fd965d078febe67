import { TIERS, TIER_NAMES } from '@app/domain/accounts/tiers';
import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ifMatch, unwrap, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { FILING_FIELDS, FilingInputs, toExternalId, toTags } from '../components/filing';
import { formatNumber } from '../components/number';
import { toNumber, useFields } from '../components/use-fields';

type Detail = Schema['AccountDetailResponse'];
type Fields = ReturnType<typeof useAccountFields>;

const NAMES = ['name', 'tier', 'credit_limit', 'voice_limit', 'concurrency_limit', ...FILING_FIELDS];

function useAccountFields(account?: Detail) {
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? '' : String(value);
  return useFields({
    name: account?.name ?? '',
    tier: account?.tier ?? 'free',
    credit_limit: text(account?.limits.credits_override),
    voice_limit: text(account?.limits.voices.override),
    concurrency_limit: text(account?.limits.concurrency.override),
    tags: (account?.tags ?? []).join(' '),
    external_id: account?.external_id ?? '',
  });
}

function toBody({ values }: Fields) {
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
  const fields = useAccountFields();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<unknown>(null);
  const create = async (reason: string) => {
    const call = unwrap(api.POST('/admin/accounts', { body: { ...toBody(fields), reason } }));
    const { id } = await call.catch(keeping(setProblem));
    await navigate({ to: '/accounts/$accountId', params: { accountId: id } });
  };
  return (
    <ActionDialog
      title="New account"
      consequence="You can create keys for it right away. Its billing period begins now."
      action="Open the account"
      fields={NAMES}
      onConfirm={create}
      onClose={onClose}
    >
      <AccountInputs fields={fields} problem={problem} />
    </ActionDialog>
  );
}

/** Changes the name, the tier and the limits of an account. */
export function EditAccountDialog({
  account,
  onSaved,
  onClose,
}: {
  account: Detail;
  onSaved: (saved: Detail) => void;
  onClose: () => void;
}) {
  const fields = useAccountFields(account);
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<unknown>(null);
  const edit = async (reason: string) => {
    const params = { path: { account_id: account.id }, header: ifMatch(account) };
    const call = unwrap(
      api.PATCH('/admin/accounts/{account_id}', { params, body: { ...toBody(fields), reason } }),
    );
    onSaved(await call.catch(keeping(setProblem)));
    void queryClient.invalidateQueries({ queryKey: ['accounts'] });
  };
  return (
    <ActionDialog
      title="Edit the account"
      consequence="A new tier or limit applies from the next request on. Credits used in this period stay used."
      action="Save"
      fields={NAMES}
      onConfirm={edit}
      onClose={onClose}
    >
      <AccountInputs fields={fields} problem={problem} />
    </ActionDialog>
  );
}

/** Keeps a refusal for the fields, and passes it on. */
function keeping(keep: (error: unknown) => void) {
  return (error: unknown): never => {
    keep(error);
    throw error;
  };
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
        <FilingInputs text={fields.text} problem={problem} />
      </SimpleGrid>
    </>
  );
}
