import { meantBlocks, readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { presetChange, presetNote } from '@app/domain/allow-lists/preset-change';

const entriesOf = (text: string) => readAllowListText(text).entries;

/** A text as a list: an entry a line, other notations as the blocks that they mean, without the words that are not entries. */
export function asList(text: string): string {
  return entriesOf(text).reduce(
    (list, entry) => meantBlocks(entry).reduce((before, block) => addEntry(before, block, entry.note), list),
    '',
  );
}

/** The text with one of its entries written in another way: in its place, or as several blocks in a list. */
export function replaceEntry(text: string, index: number, replacement: string): string {
  const blocks = replacement.split(', ');
  if (blocks.length > 1) return listLine(text, index, blocks);
  const span = entriesOf(text)[index];
  return span ? text.slice(0, span.start) + replacement + text.slice(span.end) : text;
}

/** The text without one of its entries, and without its note. */
export const removeEntry = (text: string, index: number): string => listLine(text, index, []);

/** The text with the line of an entry as a list, in which blocks have taken the place of the entry. */
function listLine(text: string, index: number, blocks: readonly string[]): string {
  const span = entriesOf(text)[index];
  if (!span) return text;
  const lineStart = text.lastIndexOf('\n', span.start - 1) + 1;
  const newLine = text.indexOf('\n', span.end);
  const lineEnd = newLine < 0 ? text.length : newLine;
  let list = '';
  for (const [at, { address, note, start }] of entriesOf(text).entries())
    if (start >= lineStart && start < lineEnd)
      for (const entry of at === index ? blocks : [address]) list = addEntry(list, entry, note);
  return text.slice(0, lineStart) + list + text.slice(lineEnd + 1);
}

/** The text with one more entry, on a separate line. */
export function addEntry(text: string, entry: string, note: string | null): string {
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${before}${entry}${note ? ` # ${note}` : ''}\n`;
}

/** A text with the entries of another one that it does not have yet, with their notes, and how many they are. */
export function mergeEntries(text: string, others: string): { text: string; added: number } {
  const present = new Set(entriesOf(text).map(single));
  const missing = entriesOf(others).filter((entry) => !present.has(single(entry)));
  return {
    text: missing.reduce((merged, { address, note }) => addEntry(merged, address, note), text),
    added: missing.length,
  };
}

/** An address and the block of this one address are the same entry. */
const single = ({ address }: { address: string }): string =>
  address.toLowerCase().replace(address.includes(':') ? /\/128$/ : /\/32$/, '');

/** A stored list as text: an entry a line, with its note. */
export const toText = (entries: readonly { cidr: string; note: string | null }[]): string =>
  entries.reduce((text, { cidr, note }) => addEntry(text, cidr, note), '');

/** The text with one more address, unless it has that already. */
export function withAddress(text: string, address: string | undefined): string {
  if (address === undefined || !/^[\da-f.:]+$/i.test(address)) return text;
  return mergeEntries(text, address).text;
}

interface Preset {
  name: string;
  blocks: readonly string[];
}

/** The text with the blocks of a preset as it is now, and without those that it no longer has. */
export function withPreset(text: string, preset: Preset): string {
  const { entries } = readAllowListText(text);
  const { added, removed } = presetChange(entries, preset);
  const gone = new Set(removed);
  let next = text;
  for (const [index, entry] of [...entries.entries()].toReversed())
    if (entry.note === presetNote(preset) && gone.has(entry.address)) next = removeEntry(next, index);
  return added.reduce((merged, block) => addEntry(merged, block, presetNote(preset)), next);
}
