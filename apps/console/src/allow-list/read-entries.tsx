import { Button, TextInput } from '@mantine/core';
import type { Schema } from '../api/client';
import { fromLocalInput, toLocalInput } from '../components/local-time';
import { UserText } from '../components/name';
import { StatusBadge } from '../components/status-badge';
import { removeEntry, replaceEntry } from './draft-text';
import type { Draft } from './use-draft';

type Check = Schema['CheckResponse'];

/** What the server reads in each entry: accepted, written differently, or a mistake with its correction one click away. */
export function ReadEntries({ draft, check }: { draft: Draft; check: Check }) {
  const entries = draft.submitted.entries ?? [];
  return (
    <ul className="gr-entries" aria-label="The entries as they are read">
      {entries.map((entry, index) => (
        // Entries have no identity but their place: two may be the same.
        <li key={index}>
          <div style={{ flex: '1 1 17rem', minWidth: 0 }}>
            <span className="gr-mono">{entry.address}</span>{' '}
            {entry.note && (
              <span className="gr-dimmed">
                <UserText>{entry.note}</UserText>
              </span>
            )}
            <Reading draft={draft} check={check} index={index} />
          </div>
          <TextInput
            type="datetime-local"
            size="xs"
            label="Ends"
            aria-label={`End of ${entry.address}`}
            value={toLocalInput(entry.ends_at)}
            onChange={(event) => draft.setEnd(entry.address, fromLocalInput(event.currentTarget.value))}
          />
        </li>
      ))}
    </ul>
  );
}

function Reading({ draft, check, index }: { draft: Draft; check: Check; index: number }) {
  const mine = <T extends { index: number | null }>(notes: T[]) =>
    notes.filter((note) => note.index === index);
  const problems = mine(check.problems);
  const corrections = mine(check.corrections).filter(isNoteworthy);
  const stored = check.entries.find((entry) => entry.index === index);
  return (
    <>
      {stored && problems.length + corrections.length === 0 && (
        <div>
          <StatusBadge tone="good">stored as {stored.cidr}</StatusBadge>
        </div>
      )}
      {problems.map((note) => (
        <Remark key={note.code} tone="bad" note={note} draft={draft} index={index} />
      ))}
      {corrections.map((note) => (
        <Remark key={note.code} tone="info" note={note} draft={draft} index={index} />
      ))}
      {mine(check.warnings).map((note) => (
        <div key={note.code}>
          <StatusBadge tone="warn">look twice</StatusBadge> {note.message}
        </div>
      ))}
    </>
  );
}

/** That an address is a block of one needs no mention. */
export function isNoteworthy({ code }: Check['corrections'][number]): boolean {
  return code !== 'single_address';
}

interface Note {
  code: string;
  message: string;
  suggestion?: string;
}

const NEEDLESS = new Set(['duplicate', 'covered']);

function Remark({
  tone,
  note,
  draft,
  index,
}: {
  tone: 'bad' | 'info';
  note: Note;
  draft: Draft;
  index: number;
}) {
  const { code, message, suggestion } = note;
  const better = NEEDLESS.has(code) ? undefined : suggestion;
  const take = () =>
    draft.setText(
      better === undefined ? removeEntry(draft.text, index) : replaceEntry(draft.text, index, better),
    );
  return (
    <div>
      <StatusBadge tone={tone}>{tone === 'bad' ? 'mistake' : 'corrected'}</StatusBadge> {message}{' '}
      <Button size="compact-xs" variant="default" onClick={take}>
        {better === undefined ? 'Remove' : `Write ${better}`}
      </Button>
    </div>
  );
}
