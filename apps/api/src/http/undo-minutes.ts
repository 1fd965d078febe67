import { MAX_UNDO_MINUTES } from '@app/domain/keys/bulk-undo';
import { IntegerField } from './fields';

/** After how many minutes a change is reverted unless it is kept; null or left out for never. */
export const UndoMinutesField = () =>
  IntegerField({ optional: true, nullable: true, min: 1, max: MAX_UNDO_MINUTES });

export function toDueAt(undoAfterMinutes: number | null | undefined): Date | null {
  return typeof undoAfterMinutes === 'number' ? new Date(Date.now() + undoAfterMinutes * 60_000) : null;
}
