import { plural } from '../common/sentences';
import { parseAllowListEntry } from '../addresses/address-entry';
import { formatCidr, mergeCidrs, type Cidr } from '../addresses/cidr';
import type { Interruptible } from '../common/interruptible';
import { readingAllowListText } from './allow-list-text';

/** The most blocks that a preset may have. */
export const MAX_PRESET_BLOCKS = 5_000;

/** Blocks that a file names, in canonical text; or why it cannot be used. */
export type ReadPreset = { ok: true; blocks: string[] } | { ok: false; problem: string };

/** So many, before they are merged, whatever they have in common. */
const MOST_READ = 4 * MAX_PRESET_BLOCKS;
/** Between two such numbers of them, others may have their turn. */
const BLOCKS_AT_ONCE = 500;

/** What can be a block among the texts of a JSON file, such as AWS `ip-ranges.json` or GitHub's meta; not the name of a field. */
const BLOCK_IN_JSON = /(?<!\\)"([\da-f.:]+)\\?(\/\d{1,3})"(?!\s*:)/gi;

/**
 * Reads a file of blocks: plain text as people write allow-lists, or JSON of any form, of which every text that looks like a
 * block counts. One block that is not accepted refuses the whole file.
 */
export function* readingPreset(text: string): Interruptible<ReadPreset> {
  const isJson = /^\s*[[{]/.test(text);
  if (isJson && !isReadable(text)) return { ok: false, problem: 'it is not JSON that can be read' };
  const input = isJson ? blocksOfJson(text) : yield* wordsOfText(text);
  let cidrs: Cidr[] = [];
  let count = 0;
  for (const block of input) {
    const entry = parseAllowListEntry(block, count);
    if (!entry.ok) {
      const { given, message } = entry.problem;
      return { ok: false, problem: `its entry ${given} is not accepted: ${message}` };
    }
    cidrs.push(entry.cidr);
    count += 1;
    if (count % BLOCKS_AT_ONCE === 0) yield;
    if (cidrs.length <= MOST_READ) continue;
    cidrs = mergeCidrs(cidrs);
    if (cidrs.length > MAX_PRESET_BLOCKS) return tooMany(cidrs);
  }
  if (count === 0) return { ok: false, problem: 'it names no block' };
  const merged = mergeCidrs(cidrs);
  return merged.length > MAX_PRESET_BLOCKS ? tooMany(merged) : { ok: true, blocks: merged.map(formatCidr) };
}

function tooMany(merged: readonly Cidr[]): ReadPreset {
  const count = plural(merged.length, 'block');
  return { ok: false, problem: `it has ${count}; at most ${MAX_PRESET_BLOCKS} are accepted` };
}

/** Everything in a text but its notes: a file that people keep for this has no other words. */
function* wordsOfText(text: string): Interruptible<string[]> {
  const { entries, ignored } = yield* readingAllowListText(text);
  return [...ignored, ...entries.map(({ address }) => address)];
}

function isReadable(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

/** In a JSON text, a quotation mark that is not escaped begins or ends a text. */
function* blocksOfJson(json: string): Generator<string> {
  for (const [, address, prefix] of json.matchAll(BLOCK_IN_JSON)) yield `${address}${prefix}`;
}
