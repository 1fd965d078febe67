import {
  ACCOUNT_FIELD_NAMES,
  ACCOUNT_FIELDS,
  type AccountFieldKind,
  type AccountFieldName,
  type WireAccountSettings,
} from '@app/domain/accounts/account-fields';
import { TIERS, TIER_NAMES, type Tier } from '@app/domain/accounts/tiers';
import { NativeSelect, SimpleGrid } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { api, type Schema, refresh } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { formatNumber } from '../components/number';
import { fromLocalInput, UntilInput, useEdited, useFields } from '../components/fields';
import { changedFields, type Described } from '../components/changed-fields';
import { SETTING_FORMS, SettingInput, type SettingForm } from '../components/setting-input';

type Detail = Schema['AccountDetailResponse'];
type Values = ReturnType<typeof valuesOf>;
type Fields = ReturnType<typeof useFields<Values>>;

const FORMS: Record<AccountFieldKind, SettingForm> = { ...SETTING_FORMS, tier: SETTING_FORMS.name };
const formOf = (name: AccountFieldName) => FORMS[ACCOUNT_FIELDS[name].kind];

function valuesOf(account?: Detail) {
  const settings: Partial<WireAccountSettings> = account
    ? {
        ...account,
        credit_limit: account.limits.credits_override,
        voice_limit: account.limits.voices.override,
        concurrency_limit: account.limits.concurrency.override,
      }
    : { tier: 'free' };
  const shown = ACCOUNT_FIELD_NAMES.map((name) => [name, formOf(name)[0]((settings[name] ?? null) as never)]);
  return { ...(Object.fromEntries(shown) as Record<AccountFieldName, string>), revert_at: '' };
}

function toBody(values: Values): WireAccountSettings {
  const read = ACCOUNT_FIELD_NAMES.map((name) => [name, formOf(name)[1](values[name])]);
  return Object.fromEntries(read) as WireAccountSettings;
}

export function CreateAccountDialog({ onClose }: { onClose: () => void }) {
  const fields = useFields(valuesOf());
  const navigate = useNavigate();
  const create = async (reason: string) => {
    const { id } = await api.POST('/admin/accounts', {}, { ...toBody(fields.values), reason });
    await navigate({ to: '/accounts/$accountId', params: { accountId: id } });
  };
  return (
    <ActionDialog
      title="New account"
      of={null}
      consequence="You can create keys for it right away. Its billing period begins now."
      action="Open the account"
      form={fields}
      onConfirm={create}
      onClose={onClose}
    >
      <AccountInputs fields={fields} />
    </ActionDialog>
  );
}

interface EditAccountProps extends Closing {
  account: Detail;
  begin?: string;
  onSaved: (saved: Detail) => void;
}

export function EditAccountDialog(props: EditAccountProps) {
  const { account, begin = 'name', onSaved, onClose } = props;
  const edited = useEdited(account, describeAccount);
  const fields = useFields(valuesOf(edited.begun), begin);
  const edit = async (reason: string) => {
    const revert_at = fromLocalInput(fields.values.revert_at) ?? undefined;
    const body = {
      ...changedFields(toBody(valuesOf(edited.begun)), toBody(fields.values)),
      revert_at,
      reason,
    };
    onSaved(await api.PATCH('/admin/accounts/{account_id}', account.id, body, edited.base));
    void refresh(['accounts']);
  };
  return (
    <ActionDialog
      title="Edit the account"
      of={account.name}
      consequence="A new tier or limit applies from the next request on. Credits used in this period stay used."
      action="Save"
      form={fields}
      edited={edited}
      onConfirm={edit}
      onClose={onClose}
    >
      <AccountInputs fields={fields} />
      <UntilInput what="the tier and the limits that you change go back" field={fields.text('revert_at')} />
    </ActionDialog>
  );
}

function describeAccount(account: Detail): Described {
  const values = valuesOf(account);
  return ACCOUNT_FIELD_NAMES.map((name) => {
    const { limit, label } = ACCOUNT_FIELDS[name];
    return [label.toLowerCase(), values[name] || (limit ? 'from the tier' : 'none')];
  });
}

function AccountInputs({ fields }: { fields: Fields }) {
  const tier = TIERS[fields.values.tier as Tier];
  const inputs = (...kinds: AccountFieldKind[]) =>
    ACCOUNT_FIELD_NAMES.map((name) => ({ name, field: ACCOUNT_FIELDS[name] }))
      .filter(({ field }) => kinds.includes(field.kind))
      .map(({ name, field }) => (
        <SettingInput
          key={name}
          {...{ name, field, fields }}
          none={field.limit && `From the tier: ${formatNumber(tier[field.limit])}`}
        />
      ));
  return (
    <>
      {inputs('name')}
      <NativeSelect label={ACCOUNT_FIELDS.tier.label} data={TIER_NAMES} {...fields.text('tier')} />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>{inputs('count')}</SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>{inputs('tags', 'text')}</SimpleGrid>
    </>
  );
}
