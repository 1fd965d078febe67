import type { DeskItem } from '@app/database/reviews/review-item.repository';
import { DomainError } from '@app/domain/errors';

/** The 404 of an item. */
export function itemNotFound(itemId: string): DomainError {
  return new DomainError('review_item_not_found', { itemId }, { param: 'item_id' });
}

/** The refusal of an item that another person has. */
export function taken({ takenBy, takenUntil }: DeskItem): DomainError {
  const holder = takenBy?.name ?? 'Another person';
  const until = takenUntil && { until: ` until ${takenUntil.toISOString()}` };
  return new DomainError('review_item_taken', { holder, ...until });
}

/** The refusal of an item that was decided. */
export function alreadyDecided({ decision, decidedBy }: DeskItem): DomainError {
  return new DomainError('review_item_decided', { decision: decision ?? '', decidedBy: decidedBy ?? '' });
}
