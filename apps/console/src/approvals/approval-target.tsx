import { approvalKind } from '@app/domain/approvals/approvals';
import { Link } from '@tanstack/react-router';
import type { Schema } from '../api/client';
import { AccountName } from '../components/account-name';
import { Name } from '../components/name';

/** What would be done, and to what. */
export function ApprovalTarget({ approval }: { approval: Schema['ApprovalResponse'] }) {
  const { account, after, kind, target } = approval;
  const ofKey = target.type === 'api_key';
  return (
    <>
      {approvalKind(kind).text((after ?? {}) as Record<string, unknown>, target.id)}{' '}
      {ofKey && (
        <Link to="/api-keys/$keyId" params={{ keyId: target.id }}>
          <Name>{target.name ?? target.id}</Name>
        </Link>
      )}
      {account !== null && (
        <>
          {target.type !== 'account' && ' of '}
          <AccountName account={{ id: account.id, name: account.name ?? account.id }} />
        </>
      )}
    </>
  );
}
