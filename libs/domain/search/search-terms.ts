import { cidrAround, formatCidr } from '../addresses/cidr';
import { formatIpAddress, parseIpAddress, type IpAddress } from '../addresses/ip-address';
import { isUuid } from '../common/uuid';

/** What a text may name. A text may be several of these at once. */
export interface SearchTerms {
  /** A part of a name. */
  text: string;
  /** Id of an account, a key or a member of staff. */
  uuid: string | null;
  /** Id of a voice, a preview or a request. */
  id: string | null;
  /** The last four characters of a secret. */
  lastFour: string | null;
  address: {
    text: string;
    /** Every block that the address is in, the narrowest first. */
    blocks: string[];
  } | null;
}

/** Shorter words are not ids. */
const SHORTEST_ID = 8;
const ID = /^[\w.:-]+$/;
/** Four characters alone, or as they are shown: `grk_…Ab3d`, `...Ab3d`. */
const LAST_FOUR = /^(?:(?:g[rc]k_)?(?:…|\.{3}))?([0-9A-Za-z]{4})$/;

/** Reads what a person has typed to find something. */
export function readSearchTerms(typed: string): SearchTerms {
  const text = typed.trim();
  const address = parseIpAddress(text);
  const lower = text.toLowerCase();
  const uuid = isUuid(lower) ? lower : null;
  return {
    text,
    uuid,
    id: uuid === null && address === null && text.length >= SHORTEST_ID && ID.test(text) ? text : null,
    lastFour: LAST_FOUR.exec(text)?.[1] ?? null,
    address: address && { text: formatIpAddress(address), blocks: blocksAround(address) },
  };
}

function blocksAround(address: IpAddress): string[] {
  const bits = address.family === 4 ? 32 : 128;
  return Array.from({ length: bits + 1 }, (_, wider) => formatCidr(cidrAround(address, bits - wider)));
}
