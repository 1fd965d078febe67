import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Schema } from '../api/client';
import { toText, withAddress } from './draft-text';
import { listCalls } from './list-calls';

const PAUSE_MS = 250;

type AllowList = Schema['AllowListResponse'];

interface Submitted {
  entries: { address: string; note: string | null; ends_at: string | null }[] | null;
  address: string;
}

export type Draft = ReturnType<typeof useDraft>;

/**
 * A list that is being written: its text, the ends of its entries, and what the server reads in it. An empty text stands
 * for no list. `added` is an address to begin with, after the entries. `begun` is the list it was begun from, to show what another person has changed since.
 */
export function useDraft(list: AllowList, added?: string) {
  const [begun, setBegun] = useState(list);
  const [text, setText] = useState(() => withAddress(toText(list.entries ?? []), added));
  const [ends, setEnds] = useState(() => endsOf(list));
  const [address, setAddress] = useState('');
  const read = readAllowListText(text);
  const entries = read.entries.map(({ address: entry, note }) => ({
    address: entry,
    note,
    ends_at: ends[entry] ?? null,
  }));
  // Words without an address are neither a list nor the wish to have none.
  const requested = entries.length === 0 && read.ignored.length === 0 ? null : entries;
  // As text: what is equal must be the same, or every drawing would begin another pause.
  const typed = JSON.stringify({ entries: requested, address: address.trim() });
  const [settled] = useDebouncedValue(typed, PAUSE_MS);
  const submitted = useMemo(() => JSON.parse(settled) as Submitted, [settled]);
  const check = useQuery({
    queryKey: ['allow-list-check', list.owner.id, submitted],
    queryFn: () =>
      listCalls(list.owner).check({
        entries: submitted.entries,
        ...(submitted.address !== '' && { address: submitted.address }),
      }),
    placeholderData: keepPreviousData,
  });
  const isChecked = typed === settled && !check.isPlaceholderData;
  const startFrom = (stored: AllowList) => {
    setBegun(stored);
    setText(toText(stored.entries ?? []));
    setEnds(endsOf(stored));
  };
  const isChanged =
    text !== toText(begun.entries ?? []) ||
    JSON.stringify(input(ends)) !== JSON.stringify(input(endsOf(begun)));
  const follow = (stored: AllowList) => (isChanged ? setBegun : startFrom)(stored);
  // A change of the key beside its list says nothing about a draft of the list; another list shows, unless a draft is begun.
  if (list.version > begun.version && (hasSameEntries(list, begun) || !isChanged)) follow(list);
  return {
    owner: list.owner,
    begun,
    text,
    setText,
    entries: requested,
    /** The draft that was last sent to the server; the text may have changed since. */
    submitted,
    check,
    /** How many mistakes are in the draft as it stands; 0 until the server has read it: saving has it checked anyway. */
    mistakes: isChecked ? (check.data?.problems.length ?? 0) : 0,
    address,
    setAddress,
    setEnd: (entry: string, end: string | null) => setEnds((before) => ({ ...before, [entry]: end })),
    /** Discards the draft and starts from a stored list. */
    startFrom,
    /** Keeps the draft, and takes note of what is stored now. */
    rebase: setBegun,
    /** Shows what is stored now, and keeps a draft that was begun. */
    follow,
    isChanged,
  };
}

export const hasSameEntries = (one: AllowList, other: AllowList): boolean =>
  JSON.stringify(one.entries) === JSON.stringify(other.entries);

const endsOf = ({ entries }: AllowList): Record<string, string | null> =>
  Object.fromEntries((entries ?? []).map(({ cidr, ends_at }) => [cidr, ends_at]));

const input = (ends: Record<string, string | null>): [string, string | null][] =>
  Object.entries(ends).filter(([, end]) => end !== null);
