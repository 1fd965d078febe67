import { TextInput, Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Schema } from '../api/client';
import { AccountField, AccountLabel } from '../components/account-field';
import { ActionDialog, type Closing, type Done } from '../components/action-dialog';
import { Banner, ProblemBanner } from '../components/banner';
import { Choice, useFields } from '../components/fields';
import { Name } from '../components/inline';
import { formatNumber, plural } from '../components/number';

export type OnDone = (done: Done, saved: Screening) => void;

export function EntryDialog({ entry, onDone, onClose }: Closing & { entry: Entry | null; onDone: OnDone }) {
  const [list, setList] = useState<ListName>(entry?.list ?? 'blocked_words');
  const [accountId, setAccountId] = useState(entry?.account_id ?? null);
  const fields = useFields({ text: entry?.text ?? '' });
  const text = fields.values.text.trim();
  const owner = list === 'protected_names' ? accountId : null;
  const save = async (reason: string) => {
    const body = { text, account_id: owner, reason };
    const saved: Screening = entry
      ? await api.PUT('/admin/screening/entries/{entry_id}', entry.id, body, entry)
      : await api.POST('/admin/screening/entries', {}, { ...body, list });
    onDone({ text: entry ? 'The entry is changed.' : 'The entry is added.', of: text }, saved);
  };
  return (
    <ActionDialog
      title={entry ? 'Edit the entry' : 'Add an entry'}
      of={entry?.text ?? null}
      consequence="Requests that contain it are refused within a second. Existing voices stay as they are."
      action={entry ? 'Save it' : 'Add it'}
      form={fields}
      onConfirm={save}
      onClose={onClose}
    >
      {entry === null && (
        <Choice
          label="List"
          description={LISTS[list].hint}
          value={list}
          onPick={setList}
          data={Object.entries(LISTS).map(([value, { title }]) => ({ value, label: title }))}
        />
      )}
      <TextInput
        label="Text"
        description="In plain letters: other spellings are found automatically."
        required
        minLength={2}
        maxLength={100}
        {...fields.text('text')}
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

interface TriedEntry {
  list: ListName | 'profanity';
  text?: string;
  account_id?: string | null;
}

export function DryRun({ entry }: { entry: TriedEntry }) {
  const run = useMutation({
    mutationFn: () => api.POST('/admin/screening/dry-run', {}, { ...entry, text: entry.text ?? '' }),
  });
  const tried = run.data;
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        style={{ alignSelf: 'start' }}
        loading={run.isPending}
        disabled={entry.list !== 'profanity' && !entry.text}
        onClick={() => run.mutate()}
      >
        Try it on the stored voices
      </Button>
      <ProblemBanner error={run.error} />
      {tried && (
        <Banner
          tone={tried.hits === 0 ? 'good' : 'warn'}
          title={`It would have matched ${formatNumber(tried.hits)} of ${plural(tried.checked, 'voice')}.`}
        >
          {tried.partial && <div>Not every voice was checked: there are too many.</div>}
          {tried.voices.length > 0 && (
            <Stack component="ul" gap="sm" aria-label="Voices that it would have matched">
              {tried.voices.map(({ voice_id, name, field }) => (
                <li key={voice_id}>
                  <Link to={`/voices/${voice_id}`} target="_blank">
                    <Name>{name}</Name>
                  </Link>{' '}
                  <span className="gr-dimmed">in its {field}</span>
                </li>
              ))}
            </Stack>
          )}
          {tried.voices.length < tried.hits && <div>The first {tried.voices.length} of them.</div>}
        </Banner>
      )}
    </Stack>
  );
}

export type Screening = Schema['ScreeningResponse'];
export type Entry = Screening['items'][number];
type ListName = Entry['list'];

export const SCREENING_KEY = ['screening'];

export const LISTS: Record<ListName, { title: string; hint: string }> = {
  blocked_words: {
    title: 'Blocked words',
    hint: 'As whole words, in names, descriptions and preview texts.',
  },
  blocked_anywhere: {
    title: 'Blocked anywhere',
    hint: 'Also inside other words. Try it first: harmless words may contain it.',
  },
  protected_names: {
    title: 'Protected names',
    hint: 'In names of voices, except for the account that may use them.',
  },
};
