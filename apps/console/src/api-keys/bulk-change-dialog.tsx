import { timeText } from '@app/domain/common/date-text';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DISABLE_REASONS } from '@app/domain/keys/disable-reasons';
import { NativeSelect, TextInput } from '@mantine/core';
import { Choice, toNumber, useFields, fromLocalInput, ExpiryPresets, inDays } from '../components/fields';
import { api, read, type Schema, refresh, useMe } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import type { ListSearch } from '../components/list-filters';
import { asQuery } from '../components/list-search';
import { Loaded } from '../components/page';
import { formatNumber, plural, humanize } from '../components/number';
import { ProgressLine } from '../components/meter';
import { UNDO_CHOICES } from '../components/undo-banner';
import { useDryRun } from '../components/use-dry-run';

export type BulkResult = Schema['BulkOutcomeResponse'] & Schema['BulkEditBody'];

/** Changes many keys: shows first how many it would change, which the reader has to type; then how far it is. */
export function BulkChangeDialog(props: {
  action: BulkAction;
  filters: ListSearch;
  /** The filters in words. */
  what: string;
  onDone: (result: BulkResult) => void;
  onClose: () => void;
}) {
  const { action, filters, what, onDone, onClose } = props;
  const fields = useFields(BULK_FIELDS);
  const [undoAfter, setUndoAfter] = useState('');
  const [isRunning, setRunning] = useState(false);
  const query = asQuery(filters);
  const edit = toEdit(action, fields.values);
  const tried = edit.tag === '' ? null : edit;
  const [plan, isCurrent] = useDryRun(['bulk-plan', filters], tried, (body) =>
    api.POST('/admin/bulk-key-changes/dry-run', query, body),
  );
  const { changes = 0, confirm = '' } = (isCurrent && plan.data) || {};
  const make = async (reason: string) => {
    setRunning(true);
    const body = { ...edit, reason, confirm, undo_after_minutes: toNumber(undoAfter) };
    try {
      const done = await api.POST('/admin/bulk-key-changes', query, body);
      onDone({ ...done, ...edit });
    } catch (error) {
      fields.keep(error);
    } finally {
      setRunning(false);
      void plan.refetch();
    }
    await refresh(['bulk-key-changes'], ['api-keys']);
  };
  const text = BULK_TEXTS[action];
  return (
    <ActionDialog
      title={text.title}
      of={what}
      consequence={
        <Loaded query={plan} lines={1}>
          {({ changes, left_alone }) => (
            <>
              <strong>{plural(changes, 'key')}</strong> of {what}. {text.consequence} The whole change can be
              undone.
              {left_alone.length > 0 && (
                <div>Left alone: {left_alone.map((each) => describeSkipped(action, each)).join(', ')}.</div>
              )}
            </>
          )}
        </Loaded>
      }
      action={text.confirm}
      danger={text.danger}
      typed={changes > 0 ? confirm : undefined}
      disabled={changes === 0}
      fields={Object.keys(BULK_FIELDS)}
      onConfirm={make}
      onClose={onClose}
    >
      <BulkEditFields action={action} fields={fields} problem={fields.problem ?? plan.error} />
      <Choice label="Undo automatically" value={undoAfter} onPick={setUndoAfter} data={UNDO_CHOICES} />
      {isRunning && <RunningChange />}
    </ActionDialog>
  );
}

function RunningChange() {
  const me = useMe();
  const changes = useQuery({
    ...read(['bulk-key-changes'], '/admin/bulk-key-changes'),
    refetchInterval: 500,
  });
  const running = changes.data?.items.find(
    ({ changed_by, finished_at }) => changed_by === me.email && finished_at === null,
  );
  return running ? <ChangeProgress change={running} /> : null;
}

export function ChangeProgress({ change: { changed, total } }: { change: Schema['BulkChangeResponse'] }) {
  return (
    <ProgressLine done={changed} total={total} label="Keys changed so far">
      {`${formatNumber(changed)} of ${plural(total, 'key')} done`}
    </ProgressLine>
  );
}

export type BulkAction = Schema['BulkChangeResponse']['action'];
type Body = Schema['BulkEditBody'];
type Skipped = Schema['BulkPlanResponse']['left_alone'][number];

export const BULK_FIELDS = { disable_reason: 'unused', expires_at: inDays(90), credit_limit: '', tag: '' };
type Fields = ReturnType<typeof useFields<typeof BULK_FIELDS>>;

interface BulkText {
  button: string;
  title: string;
  consequence: string;
  confirm: string;
  danger?: boolean;
}

export const BULK_TEXTS: Record<BulkAction, BulkText> = {
  disable: {
    button: 'Disable…',
    title: 'Disable many keys',
    consequence: 'Programs that use them are refused at once.',
    confirm: 'Disable them',
    danger: true,
  },
  enable: {
    button: 'Enable…',
    title: 'Enable many keys',
    consequence: 'Programs that use them are let in again at once.',
    confirm: 'Enable them',
  },
  set_expiry: {
    button: 'Set expiry…',
    title: 'Set the expiry of many keys',
    consequence: 'Each stops working at that time.',
    confirm: 'Set the expiry',
  },
  set_credit_limit: {
    button: 'Set credit limit…',
    title: 'Set the credit limit of many keys',
    consequence: 'It applies from the next request on, also in the current period.',
    confirm: 'Set the limit',
  },
  add_tag: {
    button: 'Add tag…',
    title: 'Add a tag to many keys',
    consequence: 'Requests are not affected.',
    confirm: 'Add the tag',
  },
  remove_tag: {
    button: 'Remove tag…',
    title: 'Remove a tag from many keys',
    consequence: 'Requests are not affected.',
    confirm: 'Remove the tag',
  },
};

export const BULK_ACTIONS = Object.keys(BULK_TEXTS) as BulkAction[];

export function toEdit(action: BulkAction, values: Fields['values']): Body {
  if (action === 'disable')
    return { action, disable_reason: values.disable_reason as Body['disable_reason'] };
  if (action === 'set_expiry') return { action, expires_at: fromLocalInput(values.expires_at) };
  if (action === 'set_credit_limit') return { action, credit_limit: toNumber(values.credit_limit) };
  if (isTagging(action)) return { action, tag: values.tag.trim().toLowerCase() };
  return { action };
}

export function BulkEditFields(props: { action: BulkAction; fields: Fields; problem: unknown }) {
  const { action, fields, problem } = props;
  if (action === 'disable')
    return (
      <NativeSelect
        label="Disabled because"
        data={DISABLE_REASONS.map((value) => ({ value, label: humanize(value) }))}
        {...fields.text('disable_reason', problem)}
      />
    );
  if (action === 'set_expiry')
    return (
      <>
        <TextInput
          type="datetime-local"
          label="Expires"
          description="In your time zone. Empty: the keys do not expire."
          {...fields.text('expires_at', problem)}
        />
        <ExpiryPresets onPick={(expires_at) => fields.set({ expires_at })} />
      </>
    );
  if (action === 'set_credit_limit')
    return (
      <TextInput
        label="Credits a period"
        placeholder="The account's limit only"
        inputMode="numeric"
        {...fields.text('credit_limit', problem)}
      />
    );
  if (isTagging(action))
    return (
      <TextInput
        label="Tag"
        description="1 to 40 characters of a-z, 0-9, - _ . :"
        required
        {...fields.text('tag', problem)}
      />
    );
  return null;
}

const isTagging = (action: BulkAction): boolean => action === 'add_tag' || action === 'remove_tag';

/** What a change does or did, after its actor: "set the expiry of 3 keys to 1 Jan 2031". */
export function describeChange(
  { action, value }: { action: BulkAction; value?: unknown },
  keys: string,
): string {
  if (action === 'enable') return `enabled ${keys}`;
  if (action === 'disable') return `disabled ${keys} (${humanize(value as string)})`;
  if (action === 'add_tag') return `added the tag ${value as string} to ${keys}`;
  if (action === 'remove_tag') return `removed the tag ${value as string} from ${keys}`;
  if (action === 'set_expiry')
    return typeof value === 'string'
      ? `set the expiry of ${keys} to ${timeText(value)}`
      : `removed the expiry of ${keys}`;
  return typeof value !== 'number'
    ? `removed the credit limit of ${keys}`
    : `set the credit limit of ${keys} to ${formatNumber(value)}`;
}

const ALREADY: Record<BulkAction, string> = {
  enable: 'already enabled',
  disable: 'already disabled',
  set_expiry: 'with that expiry already',
  set_credit_limit: 'with that limit already',
  add_tag: 'with that tag already',
  remove_tag: 'without that tag',
};

/** Keys that stay as they are, and why: "3 keys already disabled". */
export function describeSkipped(action: BulkAction, { because, keys }: Skipped): string {
  const which: Record<Skipped['because'], string> = {
    already: ALREADY[action],
    account_closed: 'of a closed account',
    managed_by_file: 'managed by a file',
    beyond_policy: 'longer than their policy allows',
    too_many_tags: 'with 20 tags already',
    exposed: 'disabled because they were found in public (filter by that reason to enable them)',
    deleted: 'deleted since',
  };
  return `${plural(keys, 'key')} ${which[because]}`;
}
