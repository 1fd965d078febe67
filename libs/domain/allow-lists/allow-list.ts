import { plural } from '../common/sentences';
import { compileAddressSet, containsAddress, type AddressSet } from '../addresses/address-set';
import {
  parseAllowListEntry,
  shown,
  type Correction,
  type CorrectionCode,
  type ListNote,
  type Problem,
} from '../addresses/address-entry';
import {
  cidrAround,
  coversCidr,
  followsCidr,
  formatCidr,
  halvesOf,
  mergeCidrs,
  overlapsCidr,
  type Cidr,
} from '../addresses/cidr';
import { compareAddresses, formatIpAddress, parseIpAddress, type IpAddress } from '../addresses/ip-address';

/** The most entries a list may have, as on the wire. */
export const MAX_ALLOW_LIST_ENTRIES = 100;

type WarningCode = 'short_prefix' | 'local' | 'private' | 'trusted_proxy' | 'all_end' | 'ignored_words';
export type Warning = ListNote<WarningCode>;

/** An entry of the input: its text, and when it stops matching (milliseconds since 1970), if ever. */
export interface InputEntry {
  readonly text: string;
  readonly endsAtMs: number | null;
}

/** A block of addresses, and when it stops matching (milliseconds since 1970), if ever. */
interface ListEntry {
  readonly cidr: Cidr;
  readonly endsAtMs: number | null;
}

/** An entry that stays on the list. */
interface StoredEntry extends ListEntry {
  /** Which of the entries it is. */
  readonly index: number;
}

const ALL_END: Warning = {
  index: null,
  code: 'all_end',
  given: '',
  message: 'Every entry ends: after the last end, the list refuses everybody.',
};

/** Warnings that have to be confirmed before the list is saved. */
export const MUST_CONFIRM: ReadonlySet<WarningCode> = new Set<WarningCode>([
  'short_prefix',
  'all_end',
  'ignored_words',
]);

export interface ParsedAllowList {
  /** What to store: sorted, without repetition, each with its prefix. Empty as soon as there is a problem. */
  canonical: string[];
  /** The same with where each one comes from and when it ends. */
  entries: StoredEntry[];
  /** What would be stored without the entries that have a problem. */
  accepted: StoredEntry[];
  /** What was changed to get there, entry by entry. */
  corrections: Correction[];
  /** Entries that are accepted and may not do what their author thinks. */
  warnings: Warning[];
  /** Whether the list needs a confirmation before it is saved: `MUST_CONFIRM` has the reasons. */
  needsConfirm: boolean;
  /** Why the list is refused. */
  problems: Problem[];
}

/**
 * Reads the allow-list of a key as people write it: 1 to 100 addresses and CIDRs (`parseAllowListEntry` has the rules).
 * An entry inside another one is left out, unless it lasts longer.
 *
 * @param input texts of entries that never end, or entries
 * @param trustedProxies our own proxies, whose addresses are never a client's
 * @param ignored words of the text of the list that are not entries
 */
export function parseAllowList(
  input: readonly (string | InputEntry)[],
  trustedProxies: readonly Cidr[] = [],
  ignored: readonly string[] = [],
): ParsedAllowList {
  const ofText = ignored.length === 0 ? [] : [ignoredWords(ignored)];
  const sizeProblem = checkSize(input.length);
  if (sizeProblem) return refused([sizeProblem], [], ofText, []);

  const entries = input.map((entry, index) => {
    const { text, endsAtMs } = typeof entry === 'string' ? { text: entry, endsAtMs: null } : entry;
    return { text, endsAtMs, index, parsed: parseAllowListEntry(text, index) };
  });
  const problems = entries.flatMap(({ parsed }) => (parsed.ok ? [] : [parsed.problem]));
  const accepted = entries.flatMap(({ parsed, ...entry }) => (parsed.ok ? [{ ...entry, ...parsed }] : []));
  const corrections = accepted.flatMap(({ correction }) => correction ?? []);
  const warnings = [
    ...ofText,
    ...joinNeighbours(accepted.flatMap((entry) => remarksOn(entry, trustedProxies))),
  ];
  const stored = mergeEntries(accepted);
  if (coversAFamily(stored.map(({ cidr }) => cidr)))
    problems.push(listProblem('everything', 'Together the entries allow every address.'));
  if (problems.length > 0) return refused(problems, corrections, warnings, stored);
  if (stored.every(({ endsAtMs }) => endsAtMs !== null)) warnings.push(ALL_END);
  if (!warnings.some(({ code }) => code === 'short_prefix')) warnings.push(...warningsTogether(stored));
  return {
    canonical: stored.map(({ cidr }) => formatCidr(cidr)),
    entries: stored.map(toStoredEntry),
    accepted: stored.map(toStoredEntry),
    corrections: [...corrections, ...explainMerge(accepted, stored)],
    warnings,
    needsConfirm: warnings.some(({ code }) => MUST_CONFIRM.has(code)),
    problems,
  };
}

function refused(
  problems: Problem[],
  corrections: Correction[],
  warnings: Warning[],
  stored: readonly AcceptedEntry[],
): ParsedAllowList {
  const accepted = stored.map(toStoredEntry);
  return { canonical: [], entries: [], accepted, corrections, warnings, needsConfirm: false, problems };
}

function checkSize(count: number): Problem | null {
  if (count === 0) {
    return listProblem(
      'empty_list',
      'An empty list would refuse everybody. To allow every address, remove the list.',
    );
  }
  if (count <= MAX_ALLOW_LIST_ENTRIES) return null;
  return listProblem(
    'too_many_entries',
    `A list has at most ${MAX_ALLOW_LIST_ENTRIES} entries; ${count} were given.`,
  );
}

function ignoredWords(words: readonly string[]): Warning {
  return { index: null, code: 'ignored_words', given: '', message: `${describeIgnored(words)}.` };
}

const WORDS_NAMED = 12;

/** How many words of a text are not entries, and which: `2 words ignored: Hi, Ana`. */
export function describeIgnored(words: readonly string[]): string {
  const named = shown(words.slice(0, WORDS_NAMED).join(', '));
  const isCut = words.length > WORDS_NAMED && !named.endsWith('…');
  return `${plural(words.length, 'word')} ignored: ${named}${isCut ? ', …' : ''}`;
}

function listProblem(code: Problem['code'], message: string): Problem {
  return { index: null, code, given: '', message };
}

/** The share of a family's space that a client may come from: not from 224.0.0.0/3. */
const OF_CLIENTS = { 4: 7 / 8, 6: 1 };

/** Whether blocks are as large as all IPv4 or IPv6 addresses of clients: such a list is none. */
function coversAFamily(cidrs: readonly Cidr[]): boolean {
  const share = shareOf(cidrs);
  return share[4] >= OF_CLIENTS[4] || share[6] >= OF_CLIENTS[6];
}

/** The share of each family's space that blocks hold together. */
function shareOf(cidrs: readonly Cidr[]): Record<Cidr['family'], number> {
  const share = { 4: 0, 6: 0 };
  for (const { family, prefix } of mergeCidrs(cidrs)) share[family] += 2 ** -prefix;
  return share;
}

interface AcceptedEntry extends StoredEntry {
  readonly text: string;
}

function toStoredEntry({ cidr, endsAtMs, index }: AcceptedEntry): StoredEntry {
  return { cidr, endsAtMs, index };
}

/** The entries without those that say nothing beyond another one, in the order of their addresses. */
function mergeEntries(entries: readonly AcceptedEntry[]): AcceptedEntry[] {
  const stored = entries.filter(
    (entry) => !entries.some((other) => other !== entry && makesNeedless(other, entry)),
  );
  return stored.toSorted(
    ({ cidr: a }, { cidr: b }) =>
      a.family - b.family || compareAddresses(a.first, b.first) || a.prefix - b.prefix,
  );
}

/** Of two entries that say the same, the first one stays. */
function makesNeedless(other: StoredEntry, entry: StoredEntry): boolean {
  if (!replaces(other, entry)) return false;
  return !replaces(entry, other) || other.index < entry.index;
}

/** Whether every address that one entry lets in, at any time, is let in by the other. */
function replaces(other: ListEntry, entry: ListEntry): boolean {
  return coversCidr(other.cidr, entry.cidr) && lastsAsLong(other.endsAtMs, entry.endsAtMs);
}

/** Compares ends, null being never. */
function lastsAsLong(endsAtMs: number | null, thanMs: number | null): boolean {
  return (endsAtMs ?? Infinity) >= (thanMs ?? Infinity);
}

/** Whether a list lets in no address, at any time, that another list would not let in then. */
export function addsNothing(requested: readonly ListEntry[], present: readonly ListEntry[]): boolean {
  return requested.every(({ cidr, endsAtMs }) =>
    isFilled(
      cidr,
      present.filter((other) => lastsAsLong(other.endsAtMs, endsAtMs)).map((other) => other.cidr),
    ),
  );
}

/** Whether blocks together hold every address of a block. */
function isFilled(block: Cidr, by: readonly Cidr[]): boolean {
  if (by.some((other) => coversCidr(other, block))) return true;
  const inside = by.filter((other) => coversCidr(block, other));
  return inside.length > 1 && halvesOf(block).every((half) => isFilled(half, inside));
}

/** One correction for every entry that is not stored as it was written. */
function explainMerge(entries: readonly AcceptedEntry[], stored: readonly AcceptedEntry[]): Correction[] {
  return entries.flatMap((entry) => {
    const holder = stored.find((other) => replaces(other, entry));
    if (!holder || holder.index === entry.index) return [];
    const [canonical, suggestion] = [formatCidr(entry.cidr), formatCidr(holder.cidr)];
    const note = (code: CorrectionCode, message: string): Correction[] => [
      { index: entry.index, code, given: shown(entry.text), suggestion, message },
    ];
    return holder.cidr.prefix < entry.cidr.prefix
      ? note('covered', `${canonical} is part of ${suggestion}: left out.`)
      : note('duplicate', `${canonical} is on the list already: left out.`);
  });
}

/** The share of a family's space that is more than one organisation has: a list with it hardly restricts anything. */
const VERY_WIDE = { 4: 2 ** -7, 6: 2 ** -31 };

/** The families of which blocks together hold more than one organisation has. */
function veryWideFamilies(cidrs: readonly Cidr[]): Cidr['family'][] {
  const share = shareOf(cidrs);
  return ([4, 6] as const).filter((family) => share[family] >= VERY_WIDE[family]);
}

/** Whether a list is very wide, all its entries together, and lets in addresses that another list would not let in. */
export function opensWide(requested: readonly ListEntry[], present: readonly ListEntry[]): boolean {
  return veryWideFamilies(requested.map(({ cidr }) => cidr)).length > 0 && !addsNothing(requested, present);
}

const LOCAL = blocks(
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '::/127',
  'fe80::/10',
  'ff00::/8',
);
const PRIVATE = blocks('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7');

function blocks(...texts: string[]): Cidr[] {
  return texts.flatMap((text) => {
    const [addressText = '', prefix] = text.split('/');
    const address = parseIpAddress(addressText);
    return address ? [cidrAround(address, Number(prefix))] : [];
  });
}

function warningsTogether(entries: readonly ListEntry[]): Warning[] {
  return veryWideFamilies(entries.map(({ cidr }) => cidr)).map((family) => ({
    index: null,
    code: 'short_prefix',
    given: '',
    message: `The IPv${family} entries are very wide together. Confirm that this is meant.`,
  }));
}

/** What is said of entries from `index` to `last`, whose addresses follow one another. */
interface Remark extends Pick<Warning, 'index' | 'code' | 'given'> {
  index: number;
  last: number;
  cidrs: readonly [first: Cidr, last: Cidr];
  says: string;
}

function remarksOn({ cidr, text, index }: AcceptedEntry, trustedProxies: readonly Cidr[]): Remark[] {
  const remark = (code: WarningCode, says: string): Remark => ({
    index,
    last: index,
    code,
    given: shown(text),
    cidrs: [cidr, cidr],
    says,
  });
  const isPartOf = (outer: readonly Cidr[]) => outer.some((block) => coversCidr(block, cidr));
  const remarks: Remark[] = [];
  if (veryWideFamilies([cidr]).length > 0)
    remarks.push(remark('short_prefix', 'is very wide. Confirm that it is meant.'));
  if (isPartOf(LOCAL))
    remarks.push(remark('local', 'is local to one machine or link: no client comes from it.'));
  if (isPartOf(PRIVATE))
    remarks.push(remark('private', 'is a private network: it matches only clients inside our own network.'));
  if (isPartOf(trustedProxies))
    remarks.push(remark('trusted_proxy', 'belongs to our own proxies: no client comes from it.'));
  return remarks;
}

/** A warning for each remark; neighbouring blocks, which are how a range is written, share one at the first of them. */
function joinNeighbours(remarks: readonly Remark[]): Warning[] {
  const joined: Remark[] = [];
  for (const remark of remarks) {
    const before = joined.findLast(({ code }) => code === remark.code);
    const isNeighbour = before?.last === remark.index - 1 && followsCidr(before.cidrs[1], remark.cidrs[0]);
    if (isNeighbour) Object.assign(before, { last: remark.index, cidrs: [before.cidrs[0], remark.cidrs[1]] });
    else joined.push({ ...remark });
  }
  return joined.map(({ index, code, given, cidrs: [first, last], says }) => {
    const named =
      first === last ? formatCidr(first) : `${formatIpAddress(first.first)}-${formatIpAddress(last.last)}`;
    return { index, code, given, message: `${named} ${says}` };
  });
}

/** An allow-list as the hot path uses it: what it always lets in, and parts that end. */
export interface CompiledAllowList extends AddressSet {
  /** Usually none. */
  readonly ending: readonly EndingPart[];
  /** Why a stored list cannot be used, or null. Such a list refuses every address. */
  readonly corrupt: string | null;
}

interface EndingPart {
  readonly endsAtMs: number;
  readonly addresses: AddressSet;
}

/** A stored list that was read. */
export interface StoredAllowList {
  /** Empty for a corrupt list. */
  readonly entries: readonly ListEntry[];
  /** Why a stored list cannot be used, or null. */
  readonly corrupt: string | null;
}

/**
 * Reads a stored list. What is not a non-empty array of entries that `parseAllowListEntry` accepts fails closed: the
 * result has no entries and says why in `corrupt`.
 *
 * @param endsAtMs when entries stop matching, by their text, in milliseconds since 1970; the others never do
 */
export function readStoredList(
  stored: unknown,
  endsAtMs: Readonly<Record<string, number>> = {},
): StoredAllowList {
  if (!Array.isArray(stored) || stored.length === 0)
    return { entries: [], corrupt: 'the stored list is empty or no list' };
  const entries: ListEntry[] = [];
  for (const [index, text] of stored.entries()) {
    const parsed = typeof text === 'string' ? parseAllowListEntry(text, index) : null;
    if (!parsed?.ok)
      return { entries: [], corrupt: `entry ${index} of the stored list is not an address or CIDR` };
    entries.push({ cidr: parsed.cidr, endsAtMs: endsAtMs[text as string] ?? null });
  }
  return { entries, corrupt: null };
}

/** The list that lets in what both lists let in, at every time; it may have no entries, and lets no address in then. */
export function intersectLists(a: StoredAllowList, b: StoredAllowList): StoredAllowList {
  const shared = new Map<string, ListEntry>();
  for (const one of a.entries) {
    for (const other of b.entries) {
      if (!overlapsCidr(one.cidr, other.cidr)) continue;
      const { cidr } = one.cidr.prefix < other.cidr.prefix ? other : one;
      const { endsAtMs } = lastsAsLong(one.endsAtMs, other.endsAtMs) ? other : one;
      const entry = { cidr, endsAtMs };
      const known = shared.get(formatCidr(cidr));
      if (!known || !replaces(known, entry)) shared.set(formatCidr(cidr), entry);
    }
  }
  return { entries: [...shared.values()], corrupt: a.corrupt ?? b.corrupt };
}

/** Compiles a list that was read: what it always lets in, and the parts that end. */
export function compileEntries({ entries, corrupt }: StoredAllowList): CompiledAllowList {
  const { v4, v6 } = compileAddressSet(
    entries.filter(({ endsAtMs }) => endsAtMs === null).map(({ cidr }) => cidr),
  );
  const ending = entries.flatMap(({ cidr, endsAtMs }) =>
    endsAtMs === null ? [] : [{ endsAtMs, addresses: compileAddressSet([cidr]) }],
  );
  return { v4, v6, ending, corrupt };
}

/** Reads and compiles a stored list, see `readStoredList`. A corrupt one lets no address in. */
export function compileAllowList(
  stored: unknown,
  endsAtMs: Readonly<Record<string, number>> = {},
): CompiledAllowList {
  return compileEntries(readStoredList(stored, endsAtMs));
}

/**
 * Whether the list lets an address in at a time. A corrupt list has no ranges and lets no address in; so does a list whose
 * entries have all ended.
 */
export function matchAllowList(list: CompiledAllowList, address: IpAddress, nowMs: number): boolean {
  if (containsAddress(list, address)) return true;
  return (
    list.ending.length > 0 &&
    list.ending.some(({ endsAtMs, addresses }) => nowMs < endsAtMs && containsAddress(addresses, address))
  );
}
