import { cidrAround, coversCidr, formatCidr, overlapsCidr, type Cidr } from './cidr';
import { prefixOfMask, readNotation } from './address-notation';
import {
  compareAddresses,
  formatIpAddress,
  fromWords,
  ipv4,
  parseIpAddress,
  type IpAddress,
} from './ip-address';

type ProblemCode =
  | 'empty_list'
  | 'too_many_entries'
  | 'everything'
  | 'not_an_address'
  | 'other_notation'
  | 'ambiguous_ipv4'
  | 'netmask'
  | 'zone'
  | 'prefix_syntax'
  | 'prefix_range'
  | 'mapped_prefix'
  | 'host_bits'
  | 'translated';

export type CorrectionCode = 'single_address' | 'ipv4_mapped' | 'rewritten' | 'duplicate' | 'covered';

/** A remark about one entry of a list, or about the list as a whole (`index` null). */
export interface ListNote<Code extends string> {
  index: number | null;
  code: Code;
  /** The entry of the input, cut to a length that can be shown. */
  given: string;
  /** What to write instead, or what is stored instead. */
  suggestion?: string;
  message: string;
}

export type Problem = ListNote<ProblemCode>;
export type Correction = ListNote<CorrectionCode>;

type ParsedEntry = { ok: true; cidr: Cidr; correction: Correction | null } | { ok: false; problem: Problem };

/** The longest text that is read as an entry: a range of IPv6 addresses has some 80 characters. */
const LONGEST_ENTRY = 100;
const LONGEST_SHOWN = 64;
const MAPPED_BITS = 96;

/**
 * Addresses that stand for the whole IPv4 internet behind a translator (RFC 6052 2.1, RFC 8215): listing them would let
 * in every IPv4 address through it.
 */
const NAT64_WELL_KNOWN = cidrAround(fromWords(0x64ff9b, 0, 0, 0), MAPPED_BITS);
const NAT64_LOCAL = cidrAround(fromWords(0x64ff9b, 0x10000, 0, 0), 48);

/**
 * Reads one entry of an allow-list: an IPv4 or IPv6 address or CIDR in strict text, with no host bits and not `/0`.
 * White space around it is dropped. Another notation, such as a range, is refused with the blocks that it means.
 *
 * @returns the block, with the correction when its canonical text differs from the input; or the first problem
 */
export function parseAllowListEntry(input: string, index: number): ParsedEntry {
  const parsed = parseStrictEntry(input, index);
  if (parsed.ok || !MAY_BE_OTHER_NOTATION.has(parsed.problem.code) || parsed.problem.suggestion)
    return parsed;
  const notation = input.length > LONGEST_ENTRY ? null : readNotation(input.trim());
  if (!notation) return parsed;
  const blocks = notation.blocks.map(formatCidr);
  const refused = blocks.map((block) => parseStrictEntry(block, index)).find(({ ok }) => !ok);
  if (refused && !refused.ok) return { ok: false, problem: { ...refused.problem, given: shown(input) } };
  const suggestion = blocks.join(', ');
  const message = `${shown(input)} is ${notation.kind}. Write ${blocks.length > MOST_NAMED ? `its ${blocks.length} blocks, from ${blocks[0]} to ${blocks.at(-1)}` : suggestion}.`;
  return { ok: false, problem: { index, code: 'other_notation', given: shown(input), suggestion, message } };
}

const MAY_BE_OTHER_NOTATION = new Set<ProblemCode>(['not_an_address', 'ambiguous_ipv4', 'prefix_syntax']);
const MOST_NAMED = 8;

function parseStrictEntry(input: string, index: number): ParsedEntry {
  const refuse = (code: ProblemCode, message: string, suggestion?: string): ParsedEntry => ({
    ok: false,
    problem: { index, code, given: shown(input), suggestion, message },
  });
  const text = input.length > LONGEST_ENTRY ? '' : input.trim();
  const slash = text.indexOf('/');
  const addressText = slash < 0 ? text : text.slice(0, slash);
  const address = parseIpAddress(addressText);
  if (!address) return refuse(...whyNoAddress(addressText));

  const mapped = address.family === 4 && addressText.includes(':');
  if (slash < 0 && address.family === 4 && isMask(address.w3))
    return refuse(
      'netmask',
      `${addressText} is a netmask, not an address. Write a network with its prefix, for example 203.0.113.0/24 for 203.0.113.0 255.255.255.0.`,
    );
  const longest = address.family === 4 && !mapped ? 32 : 128;
  const prefixText = slash < 0 ? String(longest) : text.slice(slash + 1);
  if (!/^(0|[1-9]\d*)$/.test(prefixText)) {
    const accepted = `The part after "/" has to be a whole number from 1 to ${longest}, without zeros before it.`;
    return refuse('prefix_syntax', accepted, repaired(addressText, prefixText));
  }
  const prefix = Number(prefixText) - (mapped ? MAPPED_BITS : 0);
  if (Number(prefixText) > longest) return refuse('prefix_range', `The longest prefix here is /${longest}.`);
  if (mapped && prefix < 0) {
    return refuse(
      'mapped_prefix',
      'A block of IPv4-mapped addresses has a prefix from /97 to /128. Write it as IPv4.',
    );
  }
  return checkBlock(address, prefix, refuse) ?? accept(input, index, cidrAround(address, prefix), mapped);
}

/** Whether the bits of an IPv4 address are a netmask from /8 to /31, or its reverse, a wildcard mask: no client has such an address. */
function isMask(bits: number): boolean {
  const prefix = prefixOfMask(bits);
  return prefix !== null && prefix < 32;
}

type Refuse = (code: ProblemCode, message: string, suggestion?: string) => ParsedEntry;

function checkBlock(address: IpAddress, prefix: number, refuse: Refuse): ParsedEntry | null {
  if (prefix === 0) {
    return refuse('everything', 'This would allow every address. To allow every address, remove the list.');
  }
  const block = cidrAround(address, prefix);
  if (compareAddresses(block.first, address) !== 0) {
    const single = formatCidr(cidrAround(address, address.family === 4 ? 32 : 128));
    const message = `${formatIpAddress(address)} is not the first address of a /${prefix}. Write ${formatCidr(block)} for the whole block, or ${single} for this address alone.`;
    return refuse('host_bits', message, formatCidr(block));
  }
  if (overlapsCidr(NAT64_WELL_KNOWN, block) || overlapsCidr(NAT64_LOCAL, block)) {
    const message =
      'These addresses stand for IPv4 addresses behind a NAT64 translator. List the IPv4 addresses.';
    return refuse('translated', message, untranslated(block));
  }
  return null;
}

function accept(input: string, index: number, cidr: Cidr, mapped: boolean): ParsedEntry {
  const canonical = formatCidr(cidr);
  const correct = (code: CorrectionCode, message: string): ParsedEntry => ({
    ok: true,
    cidr,
    correction: { index, code, given: shown(input), suggestion: canonical, message },
  });
  if (input === canonical) return { ok: true, cidr, correction: null };
  if (mapped) return correct('ipv4_mapped', `An IPv4-mapped address is IPv4: stored as ${canonical}.`);
  if (canonical.startsWith(`${input}/`)) {
    return correct('single_address', `A single address is stored as ${canonical}.`);
  }
  return correct('rewritten', `Stored in its canonical form ${canonical}.`);
}

function whyNoAddress(text: string): [ProblemCode, string, string?] {
  if (text.includes('%') && parseIpAddress(text.slice(0, text.indexOf('%')))) {
    return ['zone', 'An address with a zone ("%…") means something on one machine only and can never match.'];
  }
  if (/^(0x[0-9a-f]+|\d+)(\.(0x[0-9a-f]+|\d+)){0,3}$/i.test(text)) {
    const over = text.split('.').find((part) => /^[1-9]\d*$/.test(part) && Number(part) > 255);
    const why =
      over && text.includes('.') ? `${over} is over 255` : 'Programs disagree on what this IPv4 address is';
    return ['ambiguous_ipv4', `${why}. Write four decimal numbers from 0 to 255 without zeros before them.`];
  }
  return [
    'not_an_address',
    'Give an IPv4 or IPv6 address or CIDR, for example 192.0.2.7, 192.0.2.0/24 or 2001:db8::/48.',
  ];
}

/** The entry with the prefix that a slip like `/08`, `/ 8` or `/` meant, if it is acceptable then. */
function repaired(addressText: string, prefixText: string): string | undefined {
  const digits = /^\s*0*(\d{1,3})\s*$/.exec(prefixText)?.[1];
  if (digits === undefined && prefixText.trim() !== '') return undefined;
  const parsed = parseStrictEntry(digits === undefined ? addressText : `${addressText}/${digits}`, 0);
  return parsed.ok ? formatCidr(parsed.cidr) : parsed.problem.suggestion;
}

/** The IPv4 block that a block inside `64:ff9b::/96` stands for. */
function untranslated(block: Cidr): string | undefined {
  if (!coversCidr(NAT64_WELL_KNOWN, block) || block.prefix === MAPPED_BITS) return undefined;
  return formatCidr(cidrAround(ipv4(block.first.w3), block.prefix - MAPPED_BITS));
}

/** A text short enough for a message. */
export function shown(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;
}
