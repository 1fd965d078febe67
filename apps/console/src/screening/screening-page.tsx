import { SimpleTable } from '../components/simple-table';
import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read, queryClient } from '../api/client';
import { ActionDialog, type Done } from '../components/action-dialog';
import { AccountLabel } from '../components/account-field';
import { Empty, Loaded, PageHeader, Panel } from '../components/page';
import { Person, UserText, Time } from '../components/inline';
import { ReceiptBanner } from '../components/banner';
import { RowActions } from '../components/row-actions';
import { DryRun, EntryDialog, LISTS, SCREENING_KEY, type Entry, type Screening } from './entry-dialog';
import { BlockedRecordingsPanel, SpokenClipPanel } from './recordings-panels';

const ENTRY_ACTIONS = [
  ['entry', 'Edit…'],
  ['remove', 'Remove…'],
] as const;

type Open = { kind: 'entry'; entry: Entry | null } | { kind: 'remove'; entry: Entry } | { kind: 'profanity' };

export default function ScreeningPage() {
  const query = useQuery(read(SCREENING_KEY, '/admin/screening'));
  const [open, setOpen] = useState<Open | null>(null);
  const [said, setSaid] = useState<Done | null>(null);
  const onDone = (done: Done, saved: Screening) => {
    queryClient.setQueryData(SCREENING_KEY, saved);
    setSaid(done);
  };
  const dialog = { onDone, onClose: () => setOpen(null) };
  /** As it was read last: after a conflict that is what the next confirmation is about. */
  const current = <T extends Entry | null>(entry: T): T =>
    (query.data?.items.find(({ id }) => id === entry?.id) as T | undefined) ?? entry;
  return (
    <>
      <PageHeader
        title="Screening"
        hint="What names, descriptions and preview texts of voices must not contain, however it is spelled. Such requests are refused with 403 blocked_generation."
      >
        <Button onClick={() => setOpen({ kind: 'entry', entry: null })}>Add an entry…</Button>
      </PageHeader>
      <Loaded query={query}>
        {(screening) => (
          <Stack>
            {said && <ReceiptBanner of={said.of}>{said.text}</ReceiptBanner>}
            <Panel
              title="Profane words"
              actions={
                <Button variant="default" onClick={() => setOpen({ kind: 'profanity' })}>
                  {screening.profanity ? 'Switch off…' : 'Switch on…'}
                </Button>
              }
            >
              The built-in list of profane English words is {screening.profanity ? 'on' : 'off'}.
            </Panel>
            {LISTS.map(({ list, title, hint }) => (
              <EntriesPanel
                key={list}
                title={title}
                hint={hint}
                entries={screening.items.filter((entry) => entry.list === list)}
                onOpen={setOpen}
              />
            ))}
            <BlockedRecordingsPanel onDone={setSaid} />
            <SpokenClipPanel />
            {open?.kind === 'profanity' && (
              <ProfanityDialog
                {...dialog}
                enabled={!screening.profanity}
                version={screening.profanity_version}
              />
            )}
          </Stack>
        )}
      </Loaded>
      {open?.kind === 'entry' && <EntryDialog {...dialog} entry={current(open.entry)} />}
      {open?.kind === 'remove' && <RemoveDialog {...dialog} entry={current(open.entry)} />}
    </>
  );
}

function EntriesPanel(props: {
  title: string;
  hint: string;
  entries: Entry[];
  onOpen: (open: Open) => void;
}) {
  const { title, hint, entries, onOpen } = props;
  return (
    <Panel title={title}>
      <p className="gr-dimmed">{hint}</p>
      {entries.length === 0 ? (
        <Empty title="The list is empty" />
      ) : (
        <SimpleTable
          name={title}
          rows={entries}
          columns={[
            {
              header: 'Text',
              cell: (entry) => (
                <>
                  <UserText>{entry.text}</UserText>
                  {entry.account_id !== null && (
                    <div className="gr-dimmed">
                      only for <AccountLabel id={entry.account_id} />
                    </div>
                  )}
                </>
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
              cell: (entry) => (
                <RowActions
                  actions={ENTRY_ACTIONS}
                  of={entry.text}
                  onPick={(kind) => onOpen({ kind, entry })}
                />
              ),
            },
          ]}
        />
      )}
    </Panel>
  );
}

const PROFANE = 'Profane words';

interface DialogProps {
  onDone: (done: Done, saved: Screening) => void;
  onClose: () => void;
}

function RemoveDialog({ entry, onDone, onClose }: DialogProps & { entry: Entry }) {
  const remove = async (reason: string) => {
    const saved = await api.DELETE('/admin/screening/entries/{entry_id}', entry.id, { reason }, entry);
    onDone({ text: 'The entry is removed.', of: entry.text }, saved);
  };
  return (
    <ActionDialog
      title="Remove the entry"
      of={entry.text}
      consequence={
        <>
          Customers may use “<UserText>{entry.text}</UserText>” within a second.
        </>
      }
      action="Remove it"
      onConfirm={remove}
      onClose={onClose}
    />
  );
}

function ProfanityDialog(props: DialogProps & { enabled: boolean; version: number }) {
  const { enabled, version, onDone, onClose } = props;
  const save = async (reason: string) => {
    const saved = await api.PUT('/admin/screening/profanity', {}, { enabled, reason }, { version });
    onDone({ text: enabled ? 'Switched on.' : 'Switched off.', of: PROFANE }, saved);
  };
  return (
    <ActionDialog
      title={enabled ? 'Switch on' : 'Switch off'}
      of={PROFANE}
      consequence="It is a built-in list of English words. Existing voices stay as they are."
      action={enabled ? 'Switch it on' : 'Switch it off'}
      onConfirm={save}
      onClose={onClose}
    >
      {enabled && <DryRun entry={{ list: 'profanity' }} />}
    </ActionDialog>
  );
}
