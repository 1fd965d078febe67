import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { Notice } from '../components/notice';
import { plural } from '../components/number';
import { Time } from '../components/time';
import { UndoCountdown } from '../components/undo-countdown';
import { listCalls } from './list-calls';

type AllowList = Schema['AllowListResponse'];
type Done = (text: string) => (change: Schema['ChangedAllowListResponse']) => void;

/** The last change, and how to undo it; while its timer runs, when it is reverted. */
export function UndoPanel({ list, mayWrite, onDone }: { list: AllowList; mayWrite: boolean; onDone: Done }) {
  const [asking, setAsking] = useState<'keep' | 'undo' | null>(null);
  const { undo } = list;
  if (!undo) return null;
  const former = undo.entries === null ? 'no list' : plural(undo.entries.length, 'entry', 'entries');
  return (
    <Notice tone={undo.due_at ? 'warn' : 'calm'}>
      <bdi>{undo.changed_by}</bdi> changed the list <Time at={undo.changed_at} relative />. Previously:{' '}
      {former}.{undo.due_at && <UndoCountdown at={undo.due_at} queryKey={['allow-list', list.owner.id]} />}
      {mayWrite && (
        <Group gap="xs" mt="xs">
          {undo.due_at && (
            <Button size="compact-sm" onClick={() => setAsking('keep')}>
              Keep the change…
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={() => setAsking('undo')}>
            Undo it now…
          </Button>
        </Group>
      )}
      {asking && (
        <UndoDialog
          list={list}
          action={asking}
          former={former}
          onDone={onDone}
          onClose={() => setAsking(null)}
        />
      )}
    </Notice>
  );
}

function UndoDialog({
  list,
  action,
  former,
  onDone,
  onClose,
}: {
  list: AllowList;
  action: 'keep' | 'undo';
  former: string;
  onDone: Done;
  onClose: () => void;
}) {
  const keeps = action === 'keep';
  const confirm = async (reason: string) => {
    const calls = listCalls(list.owner);
    const change = await (keeps ? calls.keep(list, { reason }) : calls.undo(list, { reason }));
    onDone(keeps ? 'The change is kept.' : 'The previous list applies again.')(change);
  };
  return (
    <ActionDialog
      title={keeps ? 'Keep the change' : 'Undo the change'}
      consequence={
        keeps
          ? 'The list stays as it is now; the timer is stopped.'
          : `The previous list is restored: ${former}. It applies at once, everywhere.`
      }
      action={keeps ? 'Keep it' : 'Undo it'}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
