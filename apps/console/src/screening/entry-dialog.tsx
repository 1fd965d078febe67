import { TextInput } from '@mantine/core';
import { Choice } from '../components/choice';
import { useState } from 'react';
import { api } from '../api/client';
import { AccountField, AccountLabel } from '../components/account-field';
import { ActionDialog, type Closing, type Done } from '../components/action-dialog';
import { useFields, useRefusal } from '../components/use-fields';
import { DryRun } from './dry-run';
import { LISTS, type Entry, type ListName, type Screening } from './screening-lists';

/** A new entry, or a change of one. */
export function EntryDialog({
  entry,
  onDone,
  onClose,
}: Closing & { entry: Entry | null; onDone: (done: Done, saved: Screening) => void }) {
  const [list, setList] = useState<ListName>(entry?.list ?? 'blocked_words');
  const [accountId, setAccountId] = useState(entry?.account_id ?? null);
  const fields = useFields({ text: entry?.text ?? '' });
  const { problem, keep } = useRefusal();
  const text = fields.values.text.trim();
  const owner = list === 'protected_names' ? accountId : null;
  const save = async (reason: string) => {
    const body = { text, account_id: owner, reason };
    const call: Promise<Screening> = entry
      ? api.PUT('/admin/screening/entries/{entry_id}', entry.id, body, entry)
      : api.POST('/admin/screening/entries', {}, { ...body, list });
    const saved = await call.catch(keep);
    onDone({ text: entry ? 'The entry is changed.' : 'The entry is added.', of: text }, saved);
  };
  return (
    <ActionDialog
      title={entry ? 'Edit the entry' : 'Add an entry'}
      of={entry?.text ?? null}
      consequence="Requests that contain it are refused within a second. Existing voices stay as they are."
      action={entry ? 'Save it' : 'Add it'}
      fields={['text']}
      onConfirm={save}
      onClose={onClose}
    >
      {entry === null && (
        <Choice
          label="List"
          description={LISTS.find((each) => each.list === list)?.hint}
          value={list}
          onPick={setList}
          data={LISTS.map((each) => ({ value: each.list, label: each.title }))}
        />
      )}
      <TextInput
        label="Text"
        description="In plain letters: other spellings are found automatically."
        required
        minLength={2}
        maxLength={100}
        {...fields.text('text', problem)}
      />
      {list === 'protected_names' && (
        <div>
          <AccountField onPick={setAccountId} />
          <div className="gr-dimmed">
            {accountId === null ? (
              'No account may use it.'
            ) : (
              <>
                Only <AccountLabel id={accountId} /> may use it.
              </>
            )}
          </div>
        </div>
      )}
      <DryRun entry={{ list, text, account_id: owner }} />
    </ActionDialog>
  );
}
