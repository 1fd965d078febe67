import {
  BUDGET_WINDOWS,
  budgetDryRunSentence,
  windowName,
  type BudgetWindow,
} from '@app/domain/credits/budget';
import { NativeSelect, TextInput } from '@mantine/core';
import { api, type Schema } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Banner } from '../components/banner';
import { useDryRun } from '../components/use-dry-run';
import { useEdited, fromLocalInput, UntilInput, toNumber, useFields } from '../components/fields';
import { changedFields, type Described } from '../components/changed-fields';
import { toTags } from '../components/labels';
import { plainName } from '../components/inline';
import { formatNumber, plural } from '../components/number';

type Budget = Schema['BudgetResponse'];
type Tried = Schema['DryRunBudgetBody'];

interface BudgetDialogProps extends Closing {
  accountId: string;
  keys: readonly { key_id: string; name: string }[];
  budget: Budget | undefined;
  onDone: (text: string, of?: string) => Promise<unknown>;
}

const SUBJECTS = [
  { value: 'account', label: 'Of the whole account' },
  { value: 'key', label: 'Of one key, and of the keys that it creates' },
  { value: 'tag', label: 'Of the keys with a tag' },
  { value: 'end_user', label: 'Of each end user separately' },
];

export function BudgetDialog({ accountId, keys, budget, onDone, onClose }: BudgetDialogProps) {
  const edited = useEdited(budget, describe);
  const { begun } = edited;
  const fields = useFields({
    name: begun?.name ?? '',
    amount: begun ? String(begun.amount) : '',
    window: 'month',
    time_zone: 'UTC',
    subject: 'account',
    key_id: keys[0]?.key_id ?? '',
    tag: '',
    operations: '',
    revert_at: '',
  });
  const { values } = fields;
  const amount = toNumber(values.amount);
  const save = async (reason: string) => {
    const settings = { name: values.name, amount: amount ?? 0 };
    const call: Promise<Budget> =
      begun && edited.base
        ? edit(accountId, edited.base, {
            ...changedFields(settingsOf(begun), settings),
            revert_at: fromLocalInput(values.revert_at) ?? undefined,
            reason,
          })
        : api.POST('/admin/accounts/{account_id}/budgets', accountId, {
            ...settings,
            ...scheduleOf(values),
            ...countedBy(values),
            reason,
          });
    await call;
    await onDone(begun ? 'The budget was saved.' : 'The budget counts from now on.', values.name);
  };
  return (
    <ActionDialog
      title={budget ? 'Edit the budget' : 'New budget'}
      of={budget?.name ?? null}
      consequence="A charge that is more than what a budget has left is refused with 402, which names the budget and when it renews."
      action={budget ? 'Save' : 'Create it'}
      form={fields}
      disabled={amount === null}
      edited={edited}
      onConfirm={save}
      onClose={onClose}
    >
      <TextInput label="Name" required {...fields.text('name')} />
      <TextInput
        label="Credits"
        inputMode="numeric"
        required
        description={
          budget &&
          `${plural(budget.used, 'credit')} used so far${budget.left === null ? ' by all end users' : ''}`
        }
        {...fields.text('amount')}
      />
      {budget?.left != null && typeof amount === 'number' && amount < budget.used && (
        <Banner tone="warn" title="Less than is used already.">
          Every charge that counts for it is refused until it renews.
        </Banner>
      )}
      {budget && <UntilInput what="the credits go back" field={fields.text('revert_at')} />}
      {!budget && <NewBudgetFields fields={fields} keys={keys} />}
      <BudgetDryRun accountId={accountId} tried={triedOf(amount, begun, values)} />
    </ActionDialog>
  );
}

type Fields = Pick<ReturnType<typeof useFields<Values>>, 'values' | 'text'>;
type Values = Record<
  'name' | 'amount' | 'window' | 'time_zone' | 'subject' | 'key_id' | 'tag' | 'operations' | 'revert_at',
  string
>;

function NewBudgetFields({ fields, keys }: { fields: Fields; keys: BudgetDialogProps['keys'] }) {
  const { subject, window } = fields.values;
  return (
    <>
      <NativeSelect
        label="Renews"
        data={BUDGET_WINDOWS.map((value) => ({ value, label: `Every ${windowName(value)}` }))}
        {...fields.text('window')}
      />
      {window !== 'billing_period' && (
        <TextInput
          label="Time zone"
          description="By whose clocks it renews, such as Europe/Berlin"
          required
          {...fields.text('time_zone')}
        />
      )}
      <NativeSelect label="Counts charges" data={SUBJECTS} {...fields.text('subject')} />
      {subject === 'key' && (
        <NativeSelect
          label="Key"
          data={keys.map(({ key_id, name }) => ({ value: key_id, label: plainName(name).slice(0, 60) }))}
          {...fields.text('key_id')}
        />
      )}
      {subject === 'tag' && <TextInput label="Tag" required {...fields.text('tag')} />}
      <TextInput
        label="Only for the operations"
        description="Such as text_to_speech, with spaces between them; all without any"
        {...fields.text('operations')}
      />
    </>
  );
}

function BudgetDryRun({ accountId, tried }: { accountId: string; tried: Tried | null }) {
  const [{ data }, isCurrent] = useDryRun(['budget-dry-run', accountId], tried, (body) =>
    api.POST('/admin/accounts/{account_id}/budgets/dry-run', accountId, body),
  );
  if (!data || !isCurrent) return <div role="status" />;
  const { days, charges, would_refuse: refused, partly_archived: isPartlyArchived } = data;
  return (
    <div role="status">
      <Banner tone={refused === 0 ? 'calm' : 'warn'}>
        {budgetDryRunSentence({ days, charges, refused, isPartlyArchived })}
      </Banner>
    </div>
  );
}

/** An existing budget is tried with its subject and window. Null for what is not filled in yet. */
function triedOf(amount: unknown, begun: Budget | undefined, values: Values): Tried | null {
  if (typeof amount !== 'number' || amount < 1) return null;
  if (begun) {
    const { window, time_zone, subject, key_id, tag, operations } = begun;
    const of = { subject, key_id: key_id ?? undefined, tag: tag ?? undefined };
    return { amount, window, time_zone, ...of, operations: operations ?? undefined };
  }
  const { subject } = values;
  if ((subject === 'key' && values.key_id === '') || (subject === 'tag' && values.tag === '')) return null;
  return { amount, ...scheduleOf(values), ...countedBy(values) };
}

function scheduleOf({ window, time_zone }: Values): { window: BudgetWindow; time_zone?: string } {
  if (window === 'billing_period') return { window };
  return { window: window as BudgetWindow, time_zone };
}

function countedBy(values: Values): Pick<Tried, 'subject' | 'key_id' | 'tag' | 'operations'> {
  const { subject, key_id, tag } = values;
  const operations = toTags(values.operations);
  const only = operations.length > 0 ? { operations } : {};
  if (subject === 'key') return { key_id, ...only };
  if (subject === 'tag') return { tag, ...only };
  return subject === 'end_user' ? { subject, ...only } : only;
}

const settingsOf = ({ name, amount }: Budget) => ({ name, amount });

const describe = ({ name, amount }: Budget): Described => [
  ['Name', name],
  ['Credits', formatNumber(amount)],
];

function edit(accountId: string, budget: Budget, body: Schema['EditBudgetBody']) {
  const params = { account_id: accountId, budget_id: budget.id };
  return api.PATCH('/admin/accounts/{account_id}/budgets/{budget_id}', params, body, budget);
}
