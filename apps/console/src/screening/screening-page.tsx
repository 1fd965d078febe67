import { SimpleTable } from '../components/simple-table';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read, queryClient } from '../api/client';
import { RowActions, type Action } from '../components/row-actions';
import { ActionButton, OpenButton, type Done } from '../components/action-dialog';
import { AccountLabel } from '../components/account-field';
import { Loaded, PageHeader, Panel } from '../components/page';
import { Noted, Person, UserText, Time } from '../components/inline';
import { ReceiptBanner } from '../components/banner';
import {
  DryRun,
  EntryDialog,
  LISTS,
  SCREENING_KEY,
  type Entry,
  type OnDone,
  type Screening,
} from './entry-dialog';
import { BlockedRecordingsPanel, SpokenClipPanel } from './recordings-panels';

export default function ScreeningPage() {
  const query = useQuery(read(SCREENING_KEY, '/admin/screening'));
  const [said, setSaid] = useState<Done | null>(null);
  const onDone: OnDone = (done, saved) => {
    queryClient.setQueryData(SCREENING_KEY, saved);
    setSaid(done);
  };
  return (
    <>
      <PageHeader
        title="Screening"
        hint="What names, descriptions and preview texts of voices must not contain, however it is spelled. Such requests are refused with 403 blocked_generation."
      >
        <OpenButton variant="filled" label="Add an entry…">
          {(onClose) => <EntryDialog {...{ onDone, onClose }} entry={null} />}
        </OpenButton>
      </PageHeader>
      <Loaded query={query}>
        {(screening) => (
          <Stack>
            {said && <ReceiptBanner of={said.of}>{said.text}</ReceiptBanner>}
            <Panel title={PROFANE} actions={<ProfanityButton {...{ screening, onDone }} />}>
              The built-in list of profane English words is {screening.profanity ? 'on' : 'off'}.
            </Panel>
            {Object.entries(LISTS).map(([list, texts]) => (
              <EntriesPanel
                key={list}
                {...{ ...texts, onDone }}
                entries={screening.items.filter((entry) => entry.list === list)}
              />
            ))}
            <BlockedRecordingsPanel onDone={setSaid} />
            <SpokenClipPanel />
          </Stack>
        )}
      </Loaded>
    </>
  );
}

function EntriesPanel(props: { title: string; hint: string; entries: Entry[]; onDone: OnDone }) {
  const { title, hint, entries, onDone } = props;
  return (
    <Panel title={title}>
      <p className="gr-dimmed">{hint}</p>
      <SimpleTable
        name={title}
        empty={['The list is empty']}
        rows={entries}
        columns={[
          {
            header: 'Text',
            cell: ({ text, account_id: id }) => (
              <Noted
                note={
                  id && (
                    <>
                      only for <AccountLabel id={id} />
                    </>
                  )
                }
              >
                <UserText>{text}</UserText>
              </Noted>
            ),
          },
          {
            header: 'Added',
            cell: (entry) => (
              <>
                <Time at={entry.added_at} relative /> by <Person by={entry.added_by} />
              </>
            ),
          },
          {
            header: 'What to do',
            cell: (entry) => <RowActions of={entry.text} actions={actionsOf(entry, onDone)} />,
          },
        ]}
      />
    </Panel>
  );
}

const actionsOf = (entry: Entry, onDone: OnDone): Record<string, Action> => ({
  edit: { label: 'Edit…', dialog: ({ onClose }) => <EntryDialog {...{ entry, onDone, onClose }} /> },
  remove: {
    label: 'Remove…',
    title: 'Remove the entry',
    consequence: (
      <>
        Customers may use “<UserText>{entry.text}</UserText>” within a second.
      </>
    ),
    action: 'Remove it',
    onConfirm: async (reason) => {
      const saved = await api.DELETE('/admin/screening/entries/{entry_id}', entry.id, { reason }, entry);
      onDone({ text: 'The entry is removed.', of: entry.text }, saved);
    },
  },
});

const PROFANE = 'Profane words';

function ProfanityButton({ screening, onDone }: { screening: Screening; onDone: OnDone }) {
  const { profanity, profanity_version: version } = screening;
  const enabled = !profanity;
  const title = enabled ? 'Switch on' : 'Switch off';
  const save = async (reason: string) => {
    const saved = await api.PUT('/admin/screening/profanity', {}, { enabled, reason }, { version });
    onDone({ text: enabled ? 'Switched on.' : 'Switched off.', of: PROFANE }, saved);
  };
  return (
    <ActionButton
      label={`${title}…`}
      size="sm"
      title={title}
      of={PROFANE}
      consequence="It is a built-in list of English words. Existing voices stay as they are."
      action={enabled ? 'Switch it on' : 'Switch it off'}
      onConfirm={save}
    >
      {enabled && <DryRun entry={{ list: 'profanity' }} />}
    </ActionButton>
  );
}
