import { DomainError } from '@app/domain/errors';

/**
 * The refusal of what belongs to another cell than ours; undefined when it is ours, or has no cell (null) because its form
 * is not one of ours. `advice`: what else the caller can do, as a sentence with a space before it.
 */
export function otherCell(
  what: string,
  cell: string | null,
  own: string,
  advice = '',
): DomainError | undefined {
  if (cell === null || cell === own) return undefined;
  return new DomainError('other_cell', { what, cell, own, advice });
}
