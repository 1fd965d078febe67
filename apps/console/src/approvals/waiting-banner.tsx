import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, useMay } from '../api/client';
import { Person, UserText, Time } from '../components/inline';
import { Banner, ReceiptBanner } from '../components/banner';
import type { Done } from '../components/action-dialog';
import { ApprovalActions, STALE, ApprovalTarget } from './approval-actions';

export function WaitingBanner({ targetId }: { targetId: string }) {
  const may = useMay();
  const [done, setDone] = useState<Done | null>(null);
  const query = useQuery({
    ...read(['approvals', 'of', targetId], '/admin/approvals', { status: 'waiting', target: targetId }),
    enabled: may('approvals.read'),
  });
  return (
    <>
      {done && <ReceiptBanner {...done}>{done.text}</ReceiptBanner>}
      {query.data?.items.map((approval) => (
        <Banner key={approval.id} tone={approval.may_decide ? 'warn' : 'calm'}>
          <Group justify="space-between" gap="xs">
            <span style={{ overflowWrap: 'anywhere' }}>
              <strong>Waits for a second person:</strong> <ApprovalTarget approval={approval} />.{' '}
              {approval.is_own ? 'You' : <Person by={approval.requested_by} />} requested it{' '}
              <Time at={approval.requested_at} relative />, <UserText>{approval.reason}</UserText>.
              {approval.is_stale && ` ${STALE}`}
            </span>
            <ApprovalActions approval={approval} onDone={setDone} />
          </Group>
        </Banner>
      ))}
    </>
  );
}
