import { Link } from '@tanstack/react-router';
import { useMay } from '../api/me';
import { Name } from './name';

/** The name of the account, as a link for staff who may open it. */
export function AccountName({ account: { id, name } }: { account: { id: string; name: string | null } }) {
  const may = useMay();
  const text = name === null ? <span className="gr-mono">{id}</span> : <Name>{name}</Name>;
  const path: string = `/accounts/${id}`;
  return may('accounts.read') ? <Link to={path}>{text}</Link> : text;
}
