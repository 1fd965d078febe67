import { DESK_REASONS } from '@app/domain/reviews/desk-reasons';
import { queryOptions } from '@tanstack/react-query';
import { api, read, type Schema } from '../api/client';
import type { Filter } from '../components/list-filters';

export type DeskItem = Schema['DeskItemResponse'];

/** How often the desk is read again, and says who is there. */
export const DESK_MS = 10_000;
/** How often a person who has an item keeps it; it is theirs for five minutes. */
export const KEEP_MS = 60_000;

export const DESK_KEY = ['review-desk'];

export const DESK_FILTERS: readonly Filter[] = [
  { name: 'state', label: 'Which', choices: ['open', 'mine', 'taken', 'snoozed', 'decided'] },
  { name: 'reason', label: 'Reason', choices: DESK_REASONS },
  { name: 'account_id', label: 'Account', kind: 'account' },
  { name: 'overdue', label: 'Overdue', choices: { true: 'past the target' } },
];

export const summaryQuery = queryOptions({
  ...read([...DESK_KEY, 'summary'], '/admin/review-desk/summary'),
  refetchInterval: DESK_MS,
});

export const peopleQuery = queryOptions({
  ...read([...DESK_KEY, 'people'], '/admin/review-desk/people'),
  staleTime: 60_000,
});

export const itemQuery = (itemId: string) =>
  queryOptions({
    ...read([...DESK_KEY, 'item', itemId], '/admin/review-desk/{item_id}', itemId),
    refetchInterval: DESK_MS,
  });

export const visitQuery = (itemId: string | null) =>
  queryOptions({
    queryKey: [...DESK_KEY, 'visitors', itemId],
    queryFn: () => api.POST('/admin/review-desk/visit', {}, { item_id: itemId }),
    refetchInterval: DESK_MS,
  });
