import type { UseQueryResult } from '@tanstack/react-query';
import type { NamingText } from '@app/domain/reviews/queue-verdict';
import type { ListSearch } from '../components/list-filters';
import { plural } from '../components/number';
import type { Urgency } from './worst-first';

interface Account {
  id: string;
  name: string | null;
}

/** Something that waits for staff, and the screen that handles it. */
export interface Attention extends Urgency {
  text: string;
  /** The customers whom it concerns, those with most of it first. */
  accounts?: Account[];
  detail?: NamingText | null;
  to: string;
  search?: ListSearch;
  verb?: string;
}

export interface Source {
  title: string;
  query: UseQueryResult<Attention[]>;
  /** What holds when nothing waits. */
  calm: string;
}

/** It, unless there is none of what it counts. */
export const ifAny = (count: number, attention: Attention): Attention[] => (count === 0 ? [] : [attention]);

export const isBeingRead = ({ query }: Source) => query.isPending && !query.isError;

/** How many things wait; null while a part is read, and when nothing waits in the others of one that cannot be read. */
export function countWaiting(sources: Source[]): number | null {
  const items = sources.flatMap(({ query }) => query.data ?? []);
  if (sources.some(isBeingRead)) return null;
  return items.length === 0 && sources.some(({ query }) => query.isError) ? null : items.length;
}

export const waitingText = (count: number) =>
  count === 0 ? 'Nothing waits for you.' : `${plural(count, 'thing waits', 'things wait')} for you.`;

export function accountsOf(resources: { account: Account }[]): Account[] {
  const counts = new Map<string, { account: Account; count: number }>();
  for (const { account } of resources)
    counts.set(account.id, { account, count: (counts.get(account.id)?.count ?? 0) + 1 });
  return [...counts.values()].sort((a, b) => b.count - a.count).map(({ account }) => account);
}
