/** An entry of a list, as far as presets concern it. */
export interface NotedEntry {
  address: string;
  note: string | null;
}

interface Preset {
  name: string;
  blocks: readonly string[];
}

/** What a preset would change in a list. */
export interface PresetChange {
  /** Whether any entry comes from the preset. */
  isListed: boolean;
  /** Blocks that the preset has and the list has not. */
  added: string[];
  /** Entries that come from the preset, which it no longer has. */
  removed: string[];
}

/** How an entry says that it comes from a preset: by its note. */
export function presetNote({ name }: Pick<Preset, 'name'>): string {
  return `preset ${name}`;
}

/** What a preset would change in a list: entries with its note that it no longer has, and blocks that it has now. */
export function presetChange(entries: readonly NotedEntry[], preset: Preset): PresetChange {
  const note = presetNote(preset);
  const labelled = entries.filter((entry) => entry.note === note).map(({ address }) => address);
  const present = new Set(entries.map(({ address }) => address));
  const blocks = new Set(preset.blocks);
  return {
    isListed: labelled.length > 0,
    added: preset.blocks.filter((block) => !present.has(block)),
    removed: labelled.filter((address) => !blocks.has(address)),
  };
}
