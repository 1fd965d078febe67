import { plural } from '@app/domain/common/sentences';
import type { ChangeReceipt } from '@app/auth/invalidation/key-changes';
import type { ListedEntry } from '@app/database/keys/allow-list.repository';
import type { ParsedAllowList } from '@app/domain/allow-lists/allow-list';
import type { AddressUse } from '@app/domain/traffic/traffic';
import type { Suggestion } from '@app/domain/traffic/allow-list-suggestion';
import { checkList, checkString, checkTime, withSchema, type Check } from '@app/domain/common/field-checks';
import { choose } from '../http/choose';
import { BooleanField, CheckedField, IntegerField, StringField } from '../http/fields';
import { REASON } from '../http/reason';
import { UndoMinutesField } from '../http/undo-minutes';
import { orNull, type JsonSchema } from '@app/domain/common/json-schema';
import type { InputList } from '@app/domain/allow-lists/input-list';
import type { AllowListView } from '@app/administration/allow-lists/stored-allow-lists';
import type {
  CheckedDraft,
  AllowListDryRun,
} from '@app/administration/allow-lists/allow-list-dry-runs.service';

const MAX_NOTE_LENGTH = 200;
const MAX_TEXT_LENGTH = 20_000;
const ADDRESSES_SHOWN = 100;

/** An entry as the caller sends it. */
interface EntryBody {
  address: string;
  note?: string | null;
  ends_at?: string | null;
}

const ENTRY_FIELDS: Record<keyof EntryBody, Check> = {
  address: checkString({ max: 100 }),
  note: optional(checkString({ max: MAX_NOTE_LENGTH })),
  ends_at: optional(checkTime),
};

const ENTRY_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['address'],
  properties: Object.fromEntries(Object.entries(ENTRY_FIELDS).map(([name, { schema }]) => [name, schema!])),
};

const checkEntry: Check = withSchema(ENTRY_SCHEMA, (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [
      { type: 'model_type', msg: 'Input should be an object with address, and perhaps note and ends_at' },
    ];
  }
  const entry = value as Record<string, unknown>;
  if (entry.address === undefined) {
    return [{ type: 'missing', msg: 'Field required', path: ['address'], input: null }];
  }
  return Object.entries(ENTRY_FIELDS).flatMap(([name, check]) =>
    check(entry[name]).map((finding) => ({ ...finding, path: [name], input: entry[name] })),
  );
});

function optional(check: Check): Check {
  return withSchema(orNull(check.schema!), (value) =>
    value === undefined || value === null ? [] : check(value),
  );
}

/** A list, in one of two forms. */
class DraftBody {
  /** As people write it, or any text that has addresses in it: `#` begins a note, as do brackets or a dash behind an address; other words are ignored and have to be confirmed. */
  @StringField({ optional: true, max: MAX_TEXT_LENGTH })
  text?: string;

  /** Entry by entry; null stands for no list. */
  @CheckedField(checkList(checkEntry, { max: 1_000 }), { optional: true, nullable: true })
  entries?: EntryBody[] | null;
}

export function toInputList({ text, entries }: DraftBody): InputList {
  return { text, entries: entries && entries.map(toInputEntry) };
}

function toInputEntry({ address, note, ends_at }: EntryBody) {
  return { address, note, endsAt: ends_at ? new Date(ends_at) : null };
}

export class ReplaceAllowListBody extends DraftBody {
  @StringField(REASON)
  reason: string;

  @BooleanField({ optional: true })
  confirm?: boolean;

  /** The change is reverted after that time, unless it is kept. */
  @UndoMinutesField()
  undo_after_minutes?: number | null;
}

export class CheckAllowListBody extends DraftBody {
  /** An address to look up in the list. */
  @StringField({ optional: true, max: 100 })
  address?: string;
}

export class DryRunAllowListBody extends DraftBody {
  @IntegerField({ optional: true, min: 1, max: 30 })
  days?: number;
}

export class SuggestAllowListBody {
  @IntegerField({ optional: true, min: 1, max: 30 })
  days?: number;
}

export interface ChangedAllowListResponse extends AllowListResponse {
  corrections: ParsedAllowList['corrections'];
  warnings: ParsedAllowList['warnings'];
  dry_run: DryRunResponse | null;
  receipt: ChangeReceipt | null;
}

export interface AllowListResponse extends ReturnType<typeof toAllowListResponse> {}

export function toAllowListResponse(view: AllowListView, now: Date) {
  const { account, undo } = view;
  return {
    /** The key, or the account, whose list it is. */
    owner: view.owner,
    /** Null for the list of an account. */
    key_id: view.owner.kind === 'key' ? view.owner.id : null,
    /** Null when every address is let in. */
    entries: view.entries && view.entries.map((entry) => toEntryResponse(entry, now)),
    /** `corrupt`: the stored list cannot be read, and every address is refused. */
    status: view.status,
    entitlement: {
      account_id: account.id,
      tier: account.tier as string,
      enabled: account.ipAllowListEnabled,
      may_add: view.mayAdd,
      changed_at: account.ipAllowListChangedAt?.toISOString() ?? null,
      changed_by: account.ipAllowListChangedBy,
    },
    /** How the last change can be undone; null when it cannot. */
    undo: undo && {
      entries: undo.entries && undo.entries.map((entry) => toEntryResponse(entry, now)),
      changed_by: undo.changedBy,
      changed_at: undo.changedAt.toISOString(),
      due_at: undo.dueAt?.toISOString() ?? null,
    },
    version: view.version,
  };
}

export interface EntryResponse extends ReturnType<typeof toEntryResponse> {}

function toEntryResponse({ cidr, note, endsAt, addedBy, addedAt }: ListedEntry, now: Date) {
  return {
    cidr,
    note,
    ends_at: endsAt?.toISOString() ?? null,
    /** Whether it has ended, so that it matches nothing any more. */
    ended: endsAt !== null && endsAt <= now,
    added_by: addedBy,
    added_at: addedAt?.toISOString() ?? null,
  };
}

export interface DryRunResponse extends ReturnType<typeof toDryRunResponse> {}

export function toDryRunResponse({ days, refusing, lettingIn }: AllowListDryRun) {
  return {
    days,
    /** Requests that the address did not stop. */
    requests: refusing.requests,
    /** Those of them that the list would have refused. */
    would_refuse: refusing.refused,
    /** Those of them that came from addresses that are not known one by one. */
    undecided: refusing.undecided,
    would_refuse_addresses: refusing.refusedAddresses.map(toAddressResponse),
    /** Requests that were refused because of their address, and would have been let in. */
    would_let_in: lettingIn.reduce((sum, { requests }) => sum + requests, 0),
    would_let_in_addresses: lettingIn.map(toAddressResponse),
  };
}

export interface ObservedAddressesResponse extends ReturnType<typeof toObservedResponse> {}

export function toObservedResponse(uses: AddressUse[], days: number) {
  return {
    days,
    /** How many different addresses there are. */
    total: uses.length,
    /** Those with the most requests. */
    addresses: uses.slice(0, ADDRESSES_SHOWN).map(toAddressResponse),
  };
}

export interface AddressResponse extends ReturnType<typeof toAddressResponse> {}

function toAddressResponse({ address, requests, firstAt, lastAt }: AddressUse) {
  return {
    address,
    requests,
    first_seen: firstAt.toISOString(),
    last_seen: lastAt.toISOString(),
  };
}

export interface CheckResponse extends ReturnType<typeof toCheckResponse> {}

export function toCheckResponse({ draft, address }: CheckedDraft) {
  const { parsed, accepted } = draft;
  return {
    accepted: parsed.problems.length === 0,
    canonical: parsed.canonical,
    /** What would be stored without the entries that have a problem. */
    entries: accepted.map(({ cidr, note, endsAt, index }) => ({
      cidr,
      note,
      ends_at: endsAt?.toISOString() ?? null,
      index,
    })),
    ...choose(parsed, 'corrections', 'warnings', 'problems', 'needsConfirm'),
    /** Whether the requested address is let in, and by which entry; null when none was. */
    address: address && {
      given: address.input,
      is_address: address.isAddress,
      allowed: address.allowed,
      entry: address.entry,
    },
  };
}

export interface SuggestionResponse extends ReturnType<typeof toSuggestionResponse> {}

export function toSuggestionResponse({ entries, requests, covered }: Suggestion, days: number) {
  return {
    days,
    requests,
    covered,
    entries: entries.map(({ cidr, addresses, requests: count, firstAt, lastAt }) => ({
      cidr,
      addresses,
      requests: count,
      first_seen: firstAt.toISOString(),
      last_seen: lastAt.toISOString(),
    })),
    /** The same as text, to begin a list with. */
    text: entries
      .map(({ cidr, requests: count }) => `${cidr} # ${plural(count, 'request')} in ${plural(days, 'day')}`)
      .join('\n'),
  };
}
