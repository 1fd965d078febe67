import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../api/me';

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

export function KeyName({ id, name }: { id: string; name: string }) {
  return (
    <LinkFor needs="keys.read" to={`/api-keys/${id}`}>
      <Name>{name}</Name>
    </LinkFor>
  );
}

export function VoiceName({ id, name }: { id: string; name: string }) {
  return (
    <LinkFor needs="voices.read" to={`/voices/${id}`}>
      <Name>{name}</Name>
    </LinkFor>
  );
}

/** What leads to a screen, for staff who may open it. */
export function LinkFor(props: { needs: StaffPermission; to: string; children: ReactNode }) {
  const { needs, to, children } = props;
  return useMay()(needs) ? <Link to={to}>{children}</Link> : children;
}
