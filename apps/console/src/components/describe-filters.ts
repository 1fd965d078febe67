import type { ListSearch } from './list-filters';
import { words } from './number';

/** Filters for people: `status “stalled”, grade “bad”`. */
export function describeFilters(filters: ListSearch): string {
  return Object.entries(filters)
    .map(([name, value]) => `${words(name)} “${value}”`)
    .join(', ');
}
