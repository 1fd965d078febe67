import { compileAddressSet, containsAddress, EMPTY_ADDRESS_SET, type AddressSet } from './address-set';
import {
  parseAllowListEntry,
  shown,
  type Correction,
  type CorrectionCode,
  type ListNote,
  type Problem,
} from './allow-list-entry';
import { cidrAround, coversCidr, formatCidr, mergeCidrs, type Cidr } from './cidr';
import { parseIpAddress, type IpAddress } from './ip-address';

/** The most entries a list may have, as on the wire. */
export const MAX_ALLOW_LIST_ENTRIES = 100;

export type WarningCode = 'short_prefix' | 'local' | 'private' | 'trusted_proxy';
export type Warning = ListNote<WarningCode>;

export interface ParsedAllowList {
  /** What to store: sorted, without repetition, each with its prefix. Empty as soon as there is a problem. */
  canonical: string[];
  /** The same as blocks. */
  cidrs: Cidr[];
  /** What was changed to get there, entry by entry. */
  corrections: Correction[];
  /** Entries that are accepted and may not do what their author thinks. */
  warnings: Warning[];
  /** Whether somebody has to confirm the list before it is saved, because an entry is very wide. */
  needsConfirm: boolean;
  /** Why the list is refused. */
  problems: Problem[];
}

/**
 * Reads the allow-list of a key as people write it: 1 to 100 addresses and CIDRs (`parseAllowListEntry` has the rules).
 *
 * @param trustedProxies our own proxies, whose addresses are never a client's
 */
export function parseAllowList(
  given: readonly string[],
  trustedProxies: readonly Cidr[] = [],
): ParsedAllowList {
  const sizeProblem = checkSize(given.length);
  if (sizeProblem) return refused([sizeProblem], [], []);

  const entries = given.map((text, index) => ({ text, index, parsed: parseAllowListEntry(text, index) }));
  const problems = entries.flatMap(({ parsed }) => (parsed.ok ? [] : [parsed.problem]));
  const accepted = entries.flatMap(({ parsed, ...entry }) => (parsed.ok ? [{ ...entry, ...parsed }] : []));
  const corrections = accepted.flatMap(({ correction }) => correction ?? []);
  const warnings = accepted.flatMap(({ text, index, cidr }) => warningsOf(cidr, text, index, trustedProxies));
  const cidrs = mergeCidrs(accepted.map(({ cidr }) => cidr));
  if (coversAFamily(cidrs))
    problems.push(listProblem('everything', 'Together the entries allow every address.'));
  if (problems.length > 0) return refused(problems, corrections, warnings);
  return {
    canonical: cidrs.map(formatCidr),
    cidrs,
    corrections: [...corrections, ...explainMerge(accepted, cidrs)],
    warnings,
    needsConfirm: warnings.some(({ code }) => code === 'short_prefix'),
    problems,
  };
}

function refused(problems: Problem[], corrections: Correction[], warnings: Warning[]): ParsedAllowList {
  return { canonical: [], cidrs: [], corrections, warnings, needsConfirm: false, problems };
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

function listProblem(code: Problem['code'], message: string): Problem {
  return { index: null, code, given: '', message };
}

/** Whether blocks that do not overlap fill the whole IPv4 or IPv6 space. */
function coversAFamily(cidrs: readonly Cidr[]): boolean {
  const share = { 4: 0, 6: 0 };
  for (const { family, prefix } of cidrs) share[family] += 2 ** -prefix;
  return share[4] >= 1 || share[6] >= 1;
}

interface AcceptedEntry {
  text: string;
  index: number;
  cidr: Cidr;
}

/** One correction for every entry that is no longer there under its own name. */
function explainMerge(entries: readonly AcceptedEntry[], kept: readonly Cidr[]): Correction[] {
  const seen = new Set<string>();
  return entries.flatMap(({ text, index, cidr }) => {
    const holder = kept.find((block) => coversCidr(block, cidr));
    const canonical = formatCidr(cidr);
    if (!holder) return [];
    const note = (code: CorrectionCode, message: string): Correction[] => [
      { index, code, given: shown(text), suggestion: formatCidr(holder), message },
    ];
    if (holder.prefix < cidr.prefix)
      return note('covered', `${canonical} is part of ${formatCidr(holder)}: left out.`);
    if (seen.has(canonical)) return note('duplicate', `${canonical} is on the list already: left out.`);
    seen.add(canonical);
    return [];
  });
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

function warningsOf(cidr: Cidr, given: string, index: number, trustedProxies: readonly Cidr[]): Warning[] {
  const canonical = formatCidr(cidr);
  const warn = (code: WarningCode, message: string): Warning => ({
    index,
    code,
    given: shown(given),
    message,
  });
  const isPartOf = (outer: readonly Cidr[]) => outer.some((block) => coversCidr(block, cidr));
  const warnings: Warning[] = [];
  if (cidr.prefix < (cidr.family === 4 ? 8 : 32)) {
    warnings.push(warn('short_prefix', `${canonical} is very wide. Confirm that it is meant.`));
  }
  if (isPartOf(LOCAL))
    warnings.push(warn('local', `${canonical} is local to one machine or link: no client comes from it.`));
  if (isPartOf(PRIVATE)) {
    warnings.push(
      warn('private', `${canonical} is a private network: it matches only clients inside our own network.`),
    );
  }
  if (isPartOf(trustedProxies)) {
    warnings.push(warn('trusted_proxy', `${canonical} belongs to our own proxies: no client comes from it.`));
  }
  return warnings;
}

/** An allow-list as the hot path uses it. */
export interface CompiledAllowList extends AddressSet {
  /** Why a stored list cannot be used, or null. Such a list refuses every address. */
  readonly corrupt: string | null;
}

/**
 * Compiles a stored list. Whatever is not a non-empty array of entries that `parseAllowListEntry` accepts fails closed:
 * the result matches nothing and says why in `corrupt`.
 */
export function compileAllowList(stored: unknown): CompiledAllowList {
  if (!Array.isArray(stored) || stored.length === 0)
    return corruptList('the stored list is empty or no list');
  const cidrs: Cidr[] = [];
  for (const [index, entry] of stored.entries()) {
    const parsed = typeof entry === 'string' ? parseAllowListEntry(entry, index) : null;
    if (!parsed?.ok) return corruptList(`entry ${index} of the stored list is no address or CIDR`);
    cidrs.push(parsed.cidr);
  }
  return { ...compileAddressSet(cidrs), corrupt: null };
}

function corruptList(why: string): CompiledAllowList {
  return { ...EMPTY_ADDRESS_SET, corrupt: why };
}

/** Whether the list lets an address in. A corrupt list has no ranges and lets nobody in. */
export function matchAllowList(list: CompiledAllowList, address: IpAddress): boolean {
  return containsAddress(list, address);
}
