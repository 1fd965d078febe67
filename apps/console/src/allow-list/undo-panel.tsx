import type { Schema } from '../api/client';
import { plural } from '../components/number';
import { UndoNotice, type UndoAction } from '../components/undo-banner';
import { listCalls } from './list-calls';

type AllowList = Schema['AllowListResponse'];
type Done = (text: string) => (change: Schema['ChangedAllowListResponse']) => void;

/** The last change, and how to undo it; while its timer runs, when it is reverted. */
export function UndoPanel({ list, mayWrite, onDone }: { list: AllowList; mayWrite: boolean; onDone: Done }) {
  const { undo, owner } = list;
  if (!undo) return null;
  const former = undo.entries === null ? 'no list' : plural(undo.entries.length, 'entry', 'entries');
  const decide = async (action: UndoAction, reason: string) => {
    const change = await listCalls(owner)[action](list, { reason });
    onDone(action === 'keep' ? 'The change is kept.' : 'The previous list applies again.')(change);
  };
  return (
    <UndoNotice
      change={undo}
      what="changed the list"
      of={owner.name}
      stays="The list stays as it is now"
      undoes={`The previous list is restored: ${former}. It applies at once, everywhere.`}
      queryKey={['allow-list', owner.id]}
      mayWrite={mayWrite}
      onDecide={decide}
    >
      Previously: {former}.
    </UndoNotice>
  );
}
