import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { presetChange, presetNote } from '@app/domain/allow-lists/preset-change';
import { addEntry, removeEntry } from './draft-text';

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
