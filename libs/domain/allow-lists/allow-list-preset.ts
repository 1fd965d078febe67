import { plural } from '../common/sentences';
import { parseAllowListEntry } from '../addresses/address-entry';
import { formatCidr, mergeCidrs } from '../addresses/cidr';
import { readAllowListText } from './allow-list-text';

/** The most blocks that a preset may have. */
export const MAX_PRESET_BLOCKS = 5_000;

/** Blocks that a file names, in canonical text; or why it cannot be used. */
export type ReadPreset = { ok: true; blocks: string[] } | { ok: false; problem: string };

/** What can be a block among the texts of a JSON file, such as AWS `ip-ranges.json` or GitHub's meta. */
const LIKE_A_BLOCK = /^[\da-f.:]+\/\d{1,3}$/i;

/**
 * Reads a file of blocks: plain text as people write allow-lists, or JSON of any form, of which every text that looks like a
 * block counts. One block that is not accepted refuses the whole file.
 */
export function readPreset(text: string): ReadPreset {
  const isJson = /^\s*[[{]/.test(text);
  const input = isJson ? blocksOfJson(text) : wordsOfText(text);
  if (input === null) return { ok: false, problem: 'it is not JSON that can be read' };
  if (input.length === 0) return { ok: false, problem: 'it names no block' };
  const parsed = input.map((block, index) => parseAllowListEntry(block, index));
  const bad = parsed.find((entry) => !entry.ok);
  if (bad && !bad.ok)
    return { ok: false, problem: `its entry ${bad.problem.given} is not accepted: ${bad.problem.message}` };
  const merged = mergeCidrs(parsed.flatMap((entry) => (entry.ok ? [entry.cidr] : [])));
  if (merged.length > MAX_PRESET_BLOCKS)
    return {
      ok: false,
      problem: `it has ${plural(merged.length, 'block')}; at most ${MAX_PRESET_BLOCKS} are accepted`,
    };
  return { ok: true, blocks: merged.map(formatCidr) };
}

/** Everything in a text but its notes: a file that people keep for this has no other words. */
function wordsOfText(text: string): string[] {
  const { entries, ignored } = readAllowListText(text);
  return [...ignored, ...entries.map(({ address }) => address)];
}

function blocksOfJson(text: string): string[] | null {
  const found: string[] = [];
  try {
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'string' && LIKE_A_BLOCK.test(value)) found.push(value);
      return value;
    });
    return found;
  } catch {
    return null;
  }
}
