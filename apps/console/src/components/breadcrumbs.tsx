import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Children, type ReactNode } from 'react';
import { read, useMay } from '../api/client';
import { Name } from './inline';

export function Breadcrumbs({ children }: { children: ReactNode }) {
  return (
    <nav aria-label="Breadcrumbs">
      <Group component="ol" className="gr-crumbs" gap="2px 6px" fw={500}>
        {Children.map(children, (crumb) => crumb && <li style={{ minWidth: 0 }}>{crumb}</li>)}
      </Group>
    </nav>
  );
}

export function AccountTrail({ accountId, children }: { accountId: string; children?: ReactNode }) {
  const may = useMay();
  const { data } = useQuery({
    ...read(['account', accountId], '/admin/accounts/{account_id}', accountId),
    enabled: may('accounts.read'),
  });
  return (
    <Breadcrumbs>
      {accountCrumbs({ id: accountId, name: data?.name })}
      {children}
    </Breadcrumbs>
  );
}

export function KeyTrail({ keyId }: { keyId: string }) {
  const { data } = useQuery(read(['api-key', keyId], '/admin/api-keys/{key_id}', keyId));
  return (
    <Breadcrumbs>
      {data && accountCrumbs(data.account)}
      <Link to="/api-keys/$keyId" params={{ keyId }}>
        {data ? <Name>{data.name}</Name> : 'The key'}
      </Link>
    </Breadcrumbs>
  );
}

export function accountCrumbs({ id, name }: { id: string; name: string | undefined }): ReactNode[] {
  return [
    <Link key="accounts" to="/accounts">
      Accounts
    </Link>,
    <Link key="account" to="/accounts/$accountId" params={{ accountId: id }}>
      {name === undefined ? 'The account' : <Name>{name}</Name>}
    </Link>,
  ];
}
