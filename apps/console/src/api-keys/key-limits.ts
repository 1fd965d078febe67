import { DAY_MS } from '@app/domain/common/utc-days';

/** A limit that ends what a key may spend, in its current window. */
export interface KeyLimit {
  id: string;
  used: number;
  limit: number;
  start: string;
  end: string;
}

/** How much of a limit is used, and when it is used up; null when it lasts until it renews. */
export interface Standing {
  share: number;
  endsAt: number | null;
}

/** When a limit is used up if its window continues at its pace so far; its first day says nothing before it is over. */
export function standingOf({ used, limit, ...window }: KeyLimit, now: number): Standing {
  if (used >= limit) return { share: 1, endsAt: now };
  const [start, end] = [Date.parse(window.start), Date.parse(window.end)];
  const elapsed = Math.max(now - start, DAY_MS);
  const endsAt = used <= 0 ? end : start + (elapsed * limit) / used;
  return { share: used / limit, endsAt: endsAt < end ? endsAt : null };
}

export const toneOf = ({ share, endsAt }: Standing) =>
  share >= 1 ? 'bad' : endsAt === null ? 'good' : 'warn';

/** What ends first, first; then what is used most. */
export function firstToEnd(one: Standing, other: Standing): number {
  return (one.endsAt ?? Infinity) === (other.endsAt ?? Infinity)
    ? other.share - one.share
    : (one.endsAt ?? Infinity) - (other.endsAt ?? Infinity);
}

interface Budget {
  subject: string;
  key_id: string | null;
  tag: string | null;
  left: number | null;
}

/** Whether the charges of a key count towards a budget that all who do share. */
export function binds(budget: Budget, key: { id: string; tags: readonly string[] }): boolean {
  if (budget.left === null) return false;
  if (budget.subject === 'key') return budget.key_id === key.id;
  return budget.subject === 'account' || (budget.tag !== null && key.tags.includes(budget.tag));
}
