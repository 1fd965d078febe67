import { timeText } from '@app/domain/common/date-text';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { DISABLE_REASONS, type DisableReason } from '@app/domain/keys/disable-reasons';
import { NativeSelect, TextInput } from '@mantine/core';
import { Choice, toNumber, useFields, fromLocalInput, ExpiryPresets, inDays } from '../components/fields';
import { api, read, type Schema, refresh, useMe } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { named, type ListSearch } from '../components/list-filters';
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
  what: string;
  onDone: (result: BulkResult) => void;
  onClose: () => void;
}) {
  const { action, filters, what, onDone, onClose } = props;
  const fields = useFields(VALUES);
  const [undoAfter, setUndoAfter] = useState('');
  const [isRunning, setRunning] = useState(false);
  const query = asQuery(filters);
  const text = BULK_TEXTS[action];
  const edit = { action, ...text.edit?.(fields.values) };
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
    } finally {
      setRunning(false);
      void plan.refetch();
    }
    await refresh(['bulk-key-changes'], ['api-keys']);
  };
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
                <div>
                  Left alone: {left_alone.map((each) => describeSkipped(text.already, each)).join(', ')}.
                </div>
              )}
            </>
          )}
        </Loaded>
      }
      action={text.confirm}
      danger={text.danger}
      typed={changes > 0 ? confirm : undefined}
      disabled={changes === 0}
      form={fields}
      onConfirm={make}
      onClose={onClose}
    >
      {text.inputs?.({ ...fields, text: (name) => fields.text(name, fields.problem ?? plan.error) })}
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
type Skipped = Schema['BulkPlanResponse']['left_alone'][number];

const VALUES = { disable_reason: 'unused', expires_at: inDays(90), credit_limit: '', tag: '' };
type Fields = Pick<ReturnType<typeof useFields<typeof VALUES>>, 'text' | 'set'>;

interface BulkText {
  button: string;
  title: string;
  consequence: string;
  confirm: string;
  danger?: boolean;
  /** Why a key stays as it is. */
  already: string;
  /** What it did, after its actor: "set the expiry of 3 keys to 1 Jan 2031". */
  did: (keys: string, value: unknown) => string;
  edit?: (values: typeof VALUES) => Omit<Schema['BulkEditBody'], 'action'>;
  inputs?: (fields: Fields) => ReactNode;
}

const TAGGING: Pick<BulkText, 'consequence' | 'edit' | 'inputs'> = {
  consequence: 'Requests are not affected.',
  edit: ({ tag }) => ({ tag: tag.trim().toLowerCase() }),
  inputs: ({ text }) => (
    <TextInput label="Tag" description="1 to 40 characters of a-z, 0-9, - _ . :" required {...text('tag')} />
  ),
};

export const BULK_TEXTS: Record<BulkAction, BulkText> = {
  disable: {
    button: 'Disable…',
    title: 'Disable many keys',
    consequence: 'Programs that use them are refused at once.',
    confirm: 'Disable them',
    danger: true,
    already: 'already disabled',
    did: (keys, reason) => `disabled ${keys} (${humanize(reason as string)})`,
    edit: ({ disable_reason }) => ({ disable_reason: disable_reason as DisableReason }),
    inputs: ({ text }) => (
      <NativeSelect label="Disabled because" data={named(DISABLE_REASONS)} {...text('disable_reason')} />
    ),
  },
  enable: {
    button: 'Enable…',
    title: 'Enable many keys',
    consequence: 'Programs that use them are let in again at once.',
    confirm: 'Enable them',
    already: 'already enabled',
    did: (keys) => `enabled ${keys}`,
  },
  set_expiry: {
    button: 'Set expiry…',
    title: 'Set the expiry of many keys',
    consequence: 'Each stops working at that time.',
    confirm: 'Set the expiry',
    already: 'with that expiry already',
    did: (keys, at) =>
      typeof at === 'string'
        ? `set the expiry of ${keys} to ${timeText(at)}`
        : `removed the expiry of ${keys}`,
    edit: ({ expires_at }) => ({ expires_at: fromLocalInput(expires_at) }),
    inputs: ({ text, set }) => (
      <>
        <TextInput
          type="datetime-local"
          label="Expires"
          description="In your time zone. Empty: the keys do not expire."
          {...text('expires_at')}
        />
        <ExpiryPresets onPick={(expires_at) => set({ expires_at })} />
      </>
    ),
  },
  set_credit_limit: {
    button: 'Set credit limit…',
    title: 'Set the credit limit of many keys',
    consequence: 'It applies from the next request on, also in the current period.',
    confirm: 'Set the limit',
    already: 'with that limit already',
    did: (keys, limit) =>
      typeof limit === 'number'
        ? `set the credit limit of ${keys} to ${formatNumber(limit)}`
        : `removed the credit limit of ${keys}`,
    edit: ({ credit_limit }) => ({ credit_limit: toNumber(credit_limit) }),
    inputs: ({ text }) => (
      <TextInput
        label="Credits a period"
        placeholder="The account's limit only"
        inputMode="numeric"
        {...text('credit_limit')}
      />
    ),
  },
  add_tag: {
    ...TAGGING,
    button: 'Add tag…',
    title: 'Add a tag to many keys',
    confirm: 'Add the tag',
    already: 'with that tag already',
    did: (keys, tag) => `added the tag ${tag as string} to ${keys}`,
  },
  remove_tag: {
    ...TAGGING,
    button: 'Remove tag…',
    title: 'Remove a tag from many keys',
    confirm: 'Remove the tag',
    already: 'without that tag',
    did: (keys, tag) => `removed the tag ${tag as string} from ${keys}`,
  },
};

export const BULK_ACTIONS = Object.keys(BULK_TEXTS) as BulkAction[];

/** Keys that stay as they are, and why: "3 keys already disabled". */
function describeSkipped(already: string, { because, keys }: Skipped): string {
  const which: Record<Skipped['because'], string> = {
    already,
    account_closed: 'of a closed account',
    managed_by_file: 'managed by a file',
    beyond_policy: 'longer than their policy allows',
    too_many_tags: 'with 20 tags already',
    exposed: 'disabled because they were found in public (filter by that reason to enable them)',
    deleted: 'deleted since',
  };
  return `${plural(keys, 'key')} ${which[because]}`;
}
