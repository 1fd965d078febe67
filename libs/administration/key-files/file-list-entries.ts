import type { Account } from '@app/database/accounts/account.entity';
import { listedEntries, type StoredFileList } from '@app/database/keys/key-file.repository';
import { addsNothing, parseAllowList } from '@app/domain/allow-lists/allow-list';
import { listNotAvailable, mayPlaceAllowList } from '@app/domain/allow-lists/allow-list-entitlement';
import type { ListedEntry } from '@app/database/keys/allow-list.repository';
import { readDraft } from '../allow-lists/allow-list-draft';
import { FieldProblem, type FieldPath } from './file-part';
import { addressOf, type FileListEntry } from './key-file';

/** An entry of a list in its comparable form. */
export interface ComparableEntry {
  address: string;
  note: string | null;
  ends_at: string | null;
}

export type ComparableList = ComparableEntry[] | null;

/** A stored list as a file has it. */
export function storedList(list: StoredFileList): ComparableList {
  return listedEntries(list)?.map(toComparable) ?? null;
}

/** The list of a file as it would be stored: canonical, merged, in order. */
export function requestedList(input: readonly FileListEntry[] | null): ComparableList {
  if (input === null) return null;
  const entries = input.map((entry) => {
    const { note = null, ends_at: endsAt } = typeof entry === 'string' ? {} : entry;
    return { address: addressOf(entry), note, endsAt: endsAt ? new Date(endsAt) : null };
  });
  return (readDraft({ entries }, [])?.entries ?? []).map(toComparable);
}

/** A list as the services of allow-lists take it. */
export function toEntries(list: ComparableList) {
  return (
    list &&
    list.map(({ address, note, ends_at: endsAt }) => ({
      address,
      note,
      endsAt: endsAt === null ? null : new Date(endsAt),
    }))
  );
}

/** A list as a person would write it. */
export function exportedList(list: ComparableEntry[]): FileListEntry[] {
  return list.map(({ address, note, ends_at }) =>
    note === null && ends_at === null
      ? address
      : { address, ...(note !== null && { note }), ...(ends_at !== null && { ends_at }) },
  );
}

/** @throws FieldProblem for a new entry of an account that may not place any */
export function requireEntitled(
  requested: ComparableList | undefined,
  present: ComparableList,
  account: Account,
  path: FieldPath,
): void {
  if (!requested || mayPlaceAllowList(account)) return;
  if (present !== null && addsNothing(parsedEntries(requested), parsedEntries(present))) return;
  const { message } = listNotAvailable(account, 'A new entry on an IP allow-list', 'allowed_ips');
  throw new FieldProblem([...path, 'allowed_ips'], message);
}

function parsedEntries(list: readonly ComparableEntry[]) {
  return parseAllowList(
    list.map(({ address, ends_at: endsAt }) => ({
      text: address,
      endsAtMs: endsAt === null ? null : Date.parse(endsAt),
    })),
  ).entries;
}

function toComparable({ cidr, note, endsAt }: Pick<ListedEntry, 'cidr' | 'note' | 'endsAt'>) {
  return { address: cidr, note, ends_at: endsAt && endsAt.toISOString() };
}
