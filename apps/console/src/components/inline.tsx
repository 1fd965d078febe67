import { clockText, dayText, timeText } from '@app/domain/common/date-text';
import type { NamingText } from '@app/domain/reviews/queue-verdict';
import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useSyncExternalStore, useEffectEvent } from 'react';
import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { staffName, useMay } from '../api/client';
import { plural } from './number';

const SHOWN_LENGTH = 80;

/** More marks than these on one letter are not writing: they would cover what is above and below. */
const TOO_MANY_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Beginnings and ends of another direction (Unicode Standard Annex #9). */
const TURNS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A name that a person has chosen: text only, isolated so that it neither turns around nor covers what is beside it. */
export function Name({ children }: { children: string }) {
  const shown = shorten(thinMarks(children));
  return (
    <bdi className="gr-name" title={children.slice(0, 500)}>
      {shown}
    </bdi>
  );
}

/** Any other text that a person has written, in full, and just as harmless. */
export function UserText({ children }: { children: string }) {
  return <bdi>{thinMarks(children)}</bdi>;
}

/** A member of staff by their name of today, or a process by its own; the address is what it says on hover. */
export const Person = ({ by, name }: { by: string | null; name?: string | null }) => (
  <bdi title={by ?? undefined}>{thinMarks(name ?? staffName(by ?? 'an unknown person'))}</bdi>
);

/** Text that names members of staff. */
export const WithPeople = ({ text }: { text: NamingText }) =>
  [text].flat().map((part) => (typeof part === 'string' ? part : <Person key={part.by} by={part.by} />));

/** A name for places that know nothing but letters: a browser's tab, the middle of a sentence. */
export const plainName = (name: string): string => thinMarks(name).replace(TURNS, '');

const thinMarks = (text: string): string => text.replace(TOO_MANY_MARKS, '$1');

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= SHOWN_LENGTH ? text : `${characters.slice(0, SHOWN_LENGTH).join('')}…`;
}

export function AccountName({ account: { id, name } }: { account: { id: string; name: string | null } }) {
  return (
    <LinkFor needs="accounts.read" to={`/accounts/${id}`}>
      {name === null ? <span className="gr-mono">{id}</span> : <Name>{name}</Name>}
    </LinkFor>
  );
}

const nameIn = (screen: string, needs: StaffPermission) =>
  function NameLink({ id, name }: { id: string; name: string }) {
    return (
      <LinkFor needs={needs} to={`${screen}/${id}`}>
        <Name>{name}</Name>
      </LinkFor>
    );
  };

export const KeyName = nameIn('/api-keys', 'keys.read');
export const VoiceName = nameIn('/voices', 'voices.read');

export function LinkFor(props: { needs: StaffPermission; to: string; children: ReactNode }) {
  const { needs, to, children } = props;
  return useMay()(needs) ? <Link to={to}>{children}</Link> : children;
}

const UNITS: [string, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
/** Further away than this, a date says more than a number of days. */
const RELATIVE_SECS = 7 * 86_400;

/** An instant in the reader's time zone; the exact one on hover. `relative` says "3 hours ago" for what is near, `clock` the time of a day that is named above. */
export function Time(props: {
  at: string | null | undefined;
  relative?: boolean;
  dateOnly?: boolean;
  clock?: boolean;
  never?: string;
}) {
  const { at, relative = false, dateOnly = false, clock = false, never = 'never' } = props;
  useSyncExternalStore(relative ? eachHalfMinute : notAtAll, halfMinute);
  if (!at) return <span className="gr-dimmed">{never}</span>;
  const time = new Date(at);
  return (
    <time dateTime={at} title={`${time.toISOString()} (${timeText(time)} here)`}>
      {relative ? relativeText(time) : (clock ? clockText : dateOnly ? dayText : timeText)(time)}
    </time>
  );
}

const HALF_MINUTE_MS = 30_000;
const halfMinute = () => Math.floor(Date.now() / HALF_MINUTE_MS);
const notAtAll = () => () => {};

function eachHalfMinute(onChange: () => void): () => void {
  const timer = setInterval(onChange, HALF_MINUTE_MS);
  return () => clearInterval(timer);
}

function relativeText(time: Date): string {
  const secs = (time.getTime() - Date.now()) / 1_000;
  if (Math.abs(secs) > RELATIVE_SECS) return dayText(time);
  const [unit, length] = UNITS.find(([, each]) => Math.abs(secs) >= each) ?? [];
  if (unit === undefined || length === undefined) return secs > 0 ? 'in a moment' : 'just now';
  const count = Math.round(Math.abs(secs) / length);
  if (unit === 'day' && count === 1) return secs > 0 ? 'tomorrow' : 'yesterday';
  return secs > 0 ? `in ${plural(count, unit)}` : `${plural(count, unit)} ago`;
}

export function Noted({ note, children }: { note: ReactNode; children: ReactNode }) {
  return (
    <>
      {children}
      {note && <div className="gr-dimmed">{note}</div>}
    </>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'info';

/** A state in a word, beside a mark whose shape and colour say the same. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="gr-status" data-tone={tone}>
      {children}
    </span>
  );
}

/**
 * Copies a text, and says when the browser does not permit it. `what` names it for those who cannot see what is beside the
 * button; `onCopy` is called when it was copied.
 */
export function CopyButton(props: { value: string; what: string; label?: string; onCopy?: () => void }) {
  const { value, what, label = 'Copy', onCopy } = props;
  const { copy, copied, error } = useClipboard({ timeout: 2_000 });
  const onCopied = useEffectEvent(() => onCopy?.());
  useEffect(() => {
    if (copied) onCopied();
  }, [copied]);
  return (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() => copy(value)}
      aria-label={label === 'Copy' ? `Copy ${what}` : undefined}
    >
      <span aria-live="polite">{copied ? 'Copied' : error ? 'Select it and copy it by hand' : label}</span>
    </Button>
  );
}

export function CopyableId({ id, what }: { id: string; what: string }) {
  return (
    <span style={{ display: 'inline-flex', gap: 8, alignItems: 'center', flexWrap: 'wrap' }}>
      <span className="gr-mono" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <UserText>{id}</UserText>
      </span>
      <CopyButton value={id} what={what} />
    </span>
  );
}
