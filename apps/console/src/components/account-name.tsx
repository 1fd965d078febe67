import { Link } from '@tanstack/react-router';
import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import type { ReactNode } from 'react';
import { useMay } from '../api/me';
import { Name } from './name';

/** The name of the account, as a link for staff who may open it. */
export function AccountName({ account: { id, name } }: { account: { id: string; name: string | null } }) {
  return (
    <LinkFor needs="accounts.read" to={`/accounts/${id}`}>
      {name === null ? <span className="gr-mono">{id}</span> : <Name>{name}</Name>}
    </LinkFor>
  );
}

/** The same of a key. */
export function KeyName({ id, name }: { id: string; name: string }) {
  return (
    <LinkFor needs="keys.read" to={`/api-keys/${id}`}>
      <Name>{name}</Name>
    </LinkFor>
  );
}

/** The same of a voice. */
export function VoiceName({ id, name }: { id: string; name: string }) {
  return (
    <LinkFor needs="voices.read" to={`/voices/${id}`}>
      <Name>{name}</Name>
    </LinkFor>
  );
}

/** What leads to a screen, for staff who may open it. */
export function LinkFor({
  needs,
  to,
  children,
}: {
  needs: StaffPermission;
  to: string;
  children: ReactNode;
}) {
  return useMay()(needs) ? <Link to={to}>{children}</Link> : children;
}
