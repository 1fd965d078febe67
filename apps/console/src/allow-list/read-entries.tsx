import { Button, Group, TextInput } from '@mantine/core';
import type { Schema } from '../api/client';
import { fromLocalInput, toLocalInput } from '../components/local-time';
import { StatusBadge } from '../components/status-badge';
import { removeEntry, replaceEntry } from './draft-text';
import type { Draft } from './use-draft';

type Check = Schema['CheckAnswer'];

/** What the server reads in each entry: accepted, written differently, or a mistake with its correction one click away. */
export function ReadEntries({ draft, check }: { draft: Draft; check: Check }) {
  const entries = draft.asked.entries ?? [];
  return (
    <table className="gr-table gr-stacks" aria-label="The entries as they are read">
      <thead>
        <tr>
          <th>Entry</th>
          <th>Read as</th>
          <th>Ends</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry, index) => (
          // Entries have no identity but their place: two may be the same.
          // eslint-disable-next-line react/no-array-index-key
          <tr key={index}>
            <td data-label="Entry">
              <span className="gr-mono">{entry.address}</span>
              {entry.note && (
                <div className="gr-dimmed">
                  <bdi>{entry.note}</bdi>
                </div>
              )}
            </td>
            <td data-label="Read as">
              <Reading draft={draft} check={check} index={index} />
            </td>
            <td data-label="Ends">
              <TextInput
                type="datetime-local"
                size="xs"
                aria-label={`End of ${entry.address}`}
                value={toLocalInput(entry.ends_at)}
                onChange={(event) => draft.setEnd(entry.address, fromLocalInput(event.currentTarget.value))}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Reading({ draft, check, index }: { draft: Draft; check: Check; index: number }) {
  const mine = <T extends { index: number | null }>(notes: T[]) =>
    notes.filter((note) => note.index === index);
  const problems = mine(check.problems);
  const corrections = mine(check.corrections);
  const warnings = mine(check.warnings);
  const accepted = problems.length + corrections.length === 0;
  return (
    <>
      {accepted && (
        <StatusBadge tone="good">
          {check.entries.find((entry) => entry.index === index)?.cidr ?? 'fine'}
        </StatusBadge>
      )}
      {problems.map((note) => (
        <Remark key={note.code} tone="bad" note={note} draft={draft} index={index} />
      ))}
      {corrections.map((note) => (
        <Remark key={note.code} tone="info" note={note} draft={draft} index={index} />
      ))}
      {warnings.map((note) => (
        <div key={note.code}>
          <StatusBadge tone="warn">look twice</StatusBadge> {note.message}
        </div>
      ))}
    </>
  );
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
  const remove = NEEDLESS.has(code) || suggestion === undefined;
  return (
    <div>
      <StatusBadge tone={tone}>{tone === 'bad' ? 'mistake' : 'corrected'}</StatusBadge> {message}
      <Group gap="xs" mt={4}>
        {!remove && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => draft.setText(replaceEntry(draft.text, index, suggestion))}
          >
            Write {suggestion}
          </Button>
        )}
        {remove && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => draft.setText(removeEntry(draft.text, index))}
          >
            Remove
          </Button>
        )}
      </Group>
    </div>
  );
}
