import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import type { DeskItem } from './desk-queries';

/** When an item should be decided; overdue ones say so. */
export function DueTime({ item: { due_at: dueAt, overdue } }: { item: DeskItem }) {
  return (
    <>
      <Time at={dueAt} relative /> {overdue && <StatusBadge tone="bad">overdue</StatusBadge>}
    </>
  );
}
