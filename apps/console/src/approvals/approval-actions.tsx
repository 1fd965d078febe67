import { approvalKind } from '@app/domain/approvals/approvals';
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { api, type Schema, queryClient, useMay } from '../api/client';
import { ActionDialog, type Doing, type Done } from '../components/action-dialog';
import { useKeys } from '../components/keyboard';
import { AccountName, KeyName } from '../components/inline';

type Approval = Schema['ApprovalResponse'];
type Action = keyof typeof ACTIONS;

/** Why a request cannot be approved, and the way out. */
export const STALE = 'Its target has changed since: it can no longer be approved, only requested again.';

export function ApprovalActions(props: {
  approval: Approval;
  onDone: (decision: Done) => void;
  /** It is the one that the reader looks at: A approves it, R declines it. */
  hasKeys?: boolean;
}) {
  const { approval, onDone, hasKeys = false } = props;
  const may = useMay();
  const [asking, setAsking] = useState<Action | null>(null);
  const decides = hasKeys && approval.status === 'waiting' && approval.may_decide && may('approvals.decide');
  useKeys({
    a: decides && !approval.is_stale ? () => setAsking('approve') : undefined,
    r: decides ? () => setAsking('decline') : undefined,
  });
  if (approval.status !== 'waiting') return null;
  return (
    <Group gap="xs">
      {approval.may_decide && (
        <>
          <Button size="compact-sm" disabled={approval.is_stale} onClick={() => setAsking('approve')}>
            Approve…{hasKeys && <kbd aria-hidden>A</kbd>}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => setAsking('decline')}>
            Decline…{hasKeys && <kbd aria-hidden>R</kbd>}
          </Button>
        </>
      )}
      {approval.is_own && (
        <Button size="compact-sm" variant="default" onClick={() => setAsking('withdraw')}>
          Withdraw…
        </Button>
      )}
      {asking !== null && (
        <DecisionDialog approval={approval} action={asking} onDone={onDone} onClose={() => setAsking(null)} />
      )}
    </Group>
  );
}

const ONE = '/admin/approvals/{approval_id}';

const ACTIONS = {
  approve: {
    title: 'Approve the change',
    action: 'Approve',
    consequence:
      'The change is applied at once, in the name of the person who requested it. The audit log names both of you.',
    withReason: false,
    done: 'The change is applied.',
    send: (id: string) => api.POST(`${ONE}/approve`, id),
  },
  decline: {
    title: 'Decline the change',
    action: 'Decline',
    consequence: 'Nothing changes. The person who requested it sees your reason.',
    withReason: true,
    done: 'Declined. Nothing has changed.',
    send: (id: string, reason: string) => api.POST(`${ONE}/decline`, id, { reason }),
  },
  withdraw: {
    title: 'Withdraw your request',
    action: 'Withdraw',
    consequence: 'Nothing changes, and the request no longer waits for a decision.',
    withReason: false,
    done: 'Withdrawn. Nothing has changed.',
    send: (id: string) => api.POST(`${ONE}/withdraw`, id),
  },
};

function DecisionDialog(props: Doing & { approval: Approval; action: Action }) {
  const { approval, action, onDone, onClose } = props;
  const { done, send, ...words } = ACTIONS[action];
  const { account, after, id, kind, target } = approval;
  const text = approvalKind(kind).text((after ?? {}) as Record<string, unknown>, target.id);
  const of = `${text} ${target.name ?? account?.name ?? ''}`.trim();
  const decide = async (reason: string) => {
    const { receipt }: { id: string } & Pick<Done, 'receipt'> = await send(id, reason);
    onDone({ text: done, of, receipt });
    void queryClient.invalidateQueries();
  };
  return <ActionDialog {...words} of={of} dismiss="Go back" onConfirm={decide} onClose={onClose} />;
}

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
