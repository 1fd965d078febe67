import { Button, TextInput, VisuallyHidden } from '@mantine/core';
import type { Schema } from '../api/client';
import { fromLocalInput, toLocalInput } from '../components/fields';
import { Banner } from '../components/banner';
import { Folded } from '../components/page';
import { UserText, Time, StatusBadge } from '../components/inline';
import { addEntry, removeEntry, replaceEntry } from './draft-text';
import type { Draft } from './use-draft';

type Check = Schema['CheckResponse'];

/** What the server reads in each entry, a line each: accepted, written differently, or a mistake with its correction one click away. */
export function ReadEntries({ draft, check }: { draft: Draft; check: Check }) {
  const entries = draft.submitted.entries ?? [];
  const ofTheList = check.problems.filter(({ index }) => index === null);
  return (
    <>
      {ofTheList.map(({ code, message }) => (
        <Banner key={code} tone="bad" alert>
          {message}
        </Banner>
      ))}
      <ul className="gr-entries" aria-label="The entries as they are read">
        {entries.map(({ address, note, ends_at }, index) => (
          // Entries have no identity but their place: two may be the same.
          <li key={index}>
            <span className="gr-mono">{address}</span>
            <Reading draft={draft} check={check} index={index} />
            <span className="gr-dimmed">
              {note && <UserText>{note}</UserText>}
              {ends_at && (
                <>
                  {' '}
                  ends <Time at={ends_at} />
                </>
              )}
            </span>
            <Folded
              summary={
                <>
                  Note, end<VisuallyHidden> of {address}</VisuallyHidden>
                </>
              }
            >
              {note && <UserText>{note}</UserText>}
              <TextInput
                type="datetime-local"
                size="xs"
                label="Ends"
                aria-label={`End of ${address}`}
                value={toLocalInput(ends_at)}
                onChange={(event) => draft.setEnd(address, fromLocalInput(event.currentTarget.value))}
              />
            </Folded>
          </li>
        ))}
        {leaving(draft, check).map(({ cidr, note }) => (
          <li key={cidr} className="gr-late">
            <del className="gr-mono">{cidr}</del>
            leaves the list
            <span className="gr-dimmed">{note && <UserText>{note}</UserText>}</span>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Put back: ${cidr}`}
              onClick={() => draft.setText(addEntry(draft.text, cidr, note))}
            >
              Put back
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

function leaving({ begun }: Draft, { entries }: Check) {
  const stays = new Set(entries.map(({ cidr }) => cidr));
  return (begun.entries ?? []).filter(({ cidr }) => !stays.has(cidr));
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
        <StatusBadge tone="good">
          {draft.begun.entries?.some(({ cidr }) => cidr === stored.cidr) ? 'stays' : 'new'}
          {stored.cidr !== draft.submitted.entries?.[index]?.address && `, stored as ${stored.cidr}`}
        </StatusBadge>
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
export const isNoteworthy = ({ code }: Check['corrections'][number]): boolean => code !== 'single_address';

const NEEDLESS = new Set(['duplicate', 'covered']);

function Remark(props: {
  tone: 'bad' | 'info';
  note: Check['problems' | 'corrections'][number];
  draft: Draft;
  index: number;
}) {
  const { tone, note, draft, index } = props;
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
        {better === undefined ? 'Remove' : better.length > 40 ? 'Write these' : `Write ${better}`}
      </Button>
    </div>
  );
}
