import { timeText } from '@app/domain/common/date-text';
import { plural } from './number';

interface Used {
  last_used_at: string | null;
  last_used_from: string | null;
}

interface Secret extends Used {
  hint: string;
  state: string;
  retires_at: string | null;
}

interface Tried {
  days: number;
  would_refuse: number;
  would_refuse_addresses: readonly { address: string; last_seen: string }[];
}

interface Named {
  name: string;
}

/** What is true after a change: for the reader, and as a text for the customer. */
export interface After {
  now?: string;
  forCustomer?: string;
}

export function afterRotation(key: Named & { secrets: readonly Secret[] }): After {
  const [current, old] = key.secrets;
  if (!current || !old) return {};
  const works = old.state === 'retiring' ? `works until ${timeText(old.retires_at!)}` : 'no longer works';
  const replace =
    old.state === 'retiring' ? 'Replace it in your programs by then.' : 'Replace it in your programs.';
  return {
    now: `The old secret, ${old.hint}, ${works}. ${lastUse(old)}`,
    forCustomer: `${named(key)} has a new secret, which ends in ${current.hint.slice(-4)}. The old one, which ends in ${old.hint.slice(-4)}, ${works}. ${replace}`,
  };
}

export function afterDisabling(key: Named & Used & { hint: string }): After {
  return {
    now: lastUse(key),
    forCustomer: `${named(key)}, which ends in ${key.hint.slice(-4)}, is disabled. Requests with it are refused until it is enabled again.`,
  };
}

/** @param tried the list, tried on what used the key or the account lately; null when it was not */
export function afterListing(
  key: Named | null,
  addresses: readonly string[] | null,
  tried: Tried | null = null,
): After {
  const what = key === null ? 'Every API key of your account' : named(key);
  const from = addresses === null ? 'every address' : `these addresses only: ${addresses.join(', ')}`;
  return {
    now: tried === null ? undefined : triedText(tried),
    forCustomer: `${what} can be used from ${from}.`,
  };
}

export function afterGrant({ remaining, period_end: end }: { remaining: number | null; period_end: string }) {
  return remaining === null
    ? undefined
    : `It has ${plural(remaining, 'credit')} left until ${timeText(end)}.`;
}

const NAMED = 3;

function triedText({ days, would_refuse: refused, would_refuse_addresses: addresses }: Tried): string {
  if (refused === 0) return `Nothing that used it in the last ${days} days is refused.`;
  const named = addresses.slice(0, NAMED).map((use) => `${use.address}, last ${timeText(use.last_seen)}`);
  const more = addresses.length > NAMED ? `, and ${addresses.length - NAMED} more` : '';
  return `Refused from now on, and in use in the last ${days} days: ${named.join('; ')}${more}.`;
}

const named = ({ name }: Named) => `The API key “${name}”`;

function lastUse({ last_used_at: at, last_used_from: from }: Used): string {
  if (at === null) return 'It was never used.';
  return `It was last used ${timeText(at)}${from === null ? '' : ` from ${from}`}.`;
}
