import { approvalKind } from '@app/domain/approvals/approvals';
import type { Schema } from '../api/client';
import { AccountName, KeyName } from '../components/inline';

export function ApprovalTarget({ approval }: { approval: Schema['ApprovalResponse'] }) {
  const { account, after, kind, target } = approval;
  const ofKey = target.type === 'api_key';
  return (
    <>
      {approvalKind(kind).text((after ?? {}) as Record<string, unknown>, target.id)}{' '}
      {ofKey && <KeyName id={target.id} name={target.name ?? target.id} />}
      {account !== null && (
        <>
          {target.type !== 'account' && ' of '}
          <AccountName account={{ id: account.id, name: account.name ?? account.id }} />
        </>
      )}
    </>
  );
}
