import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { addEntry, removeEntry } from './draft-text';

interface Preset {
  name: string;
  blocks: readonly string[];
}

/** How an entry says that it comes from a preset: by its note. */
const noteOf = ({ name }: Preset) => `preset ${name}`;

/** What a preset would change in a written list: entries with its note that it no longer has, and blocks that it has now. */
export function presetChange(
  text: string,
  preset: Preset,
): { isListed: boolean; added: string[]; removed: string[] } {
  const entries = readAllowListText(text);
  const labelled = entries.filter(({ note }) => note === noteOf(preset)).map(({ address }) => address);
  const present = new Set(entries.map(({ address }) => address));
  const blocks = new Set(preset.blocks);
  return {
    isListed: labelled.length > 0,
    added: preset.blocks.filter((block) => !present.has(block)),
    removed: labelled.filter((address) => !blocks.has(address)),
  };
}

/** The text with the blocks of a preset as it is now, and without those that it no longer has. */
export function withPreset(text: string, preset: Preset): string {
  const { added, removed } = presetChange(text, preset);
  const gone = new Set(removed);
  let next = text;
  for (const [index, entry] of [...readAllowListText(text).entries()].toReversed())
    if (entry.note === noteOf(preset) && gone.has(entry.address)) next = removeEntry(next, index);
  return added.reduce((merged, block) => addEntry(merged, block, noteOf(preset)), next);
}
