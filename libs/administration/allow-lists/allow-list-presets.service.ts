import { AppConfig } from '@app/config/app-config';
import { AllowListPresetRepository } from '@app/database/keys/allow-list-preset.repository';
import { AllowListRepository, type NotedList } from '@app/database/keys/allow-list.repository';
import { readingPreset, type ReadPreset } from '@app/domain/allow-lists/allow-list-preset';
import { inTurns } from '@app/domain/common/in-turns';
import { presetChange, presetNote } from '@app/domain/allow-lists/preset-change';
import { Injectable } from '@nestjs/common';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';

const MAX_BYTES = 8_000_000;
const MAX_FILES = 100;
/** Of a file that was not read. */
const NEVER_MS = -1;

/** A list with a preset as it was earlier. */
export type OutdatedList = Omit<NotedList, 'addresses' | 'notes'>;

/** Blocks by a name that people can put on a list. */
export interface AllowListPreset {
  name: string;
  /** Those of the file, or those that it had when it could be read last. */
  blocks: string[];
  /** When the file that the blocks come from was changed; null when it never could be read. */
  changedAt: Date | null;
  /** Why the file as it is now is not used; null when it is. */
  problem: string | null;
}

/** A preset, and what staff should know of it. */
export interface ExaminedPreset extends AllowListPreset {
  /** Lists whose entries of this preset are no longer its blocks. */
  outdated: OutdatedList[];
}

interface Known extends AllowListPreset {
  /** The state of the file that was read last. */
  mtimeMs: number;
}

/**
 * Presets of allow-lists, each a file of a configured folder, read again when it has changed. A file that is gone, or that
 * cannot be used, keeps the blocks it had, which a worker has stored. No list changes automatically: staff take what has changed
 * into a list.
 */
@Injectable()
export class AllowListPresets {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly config: AppConfig,
    private readonly lists: AllowListRepository,
    private readonly stored: AllowListPresetRepository,
  ) {}

  /** Why the configured folder cannot be read; null when it can, or none is configured. */
  async findFolderProblem(): Promise<string | null> {
    const folder = this.config.allowListPresetsDir;
    if (folder === undefined) return null;
    return readdir(folder).then(
      () => null,
      (error: Error) => error.message,
    );
  }

  /** The presets with the lists that have them as they were earlier. */
  async examine(): Promise<ExaminedPreset[]> {
    const presets = await this.list();
    if (presets.length === 0) return [];
    const lists = await this.lists.listNoted(presets.map(presetNote));
    return presets.map((preset) => ({
      ...preset,
      outdated: preset.blocks.length === 0 ? [] : outdatedOf(preset, lists),
    }));
  }

  /** By name. Empty when no folder is configured. */
  async list(): Promise<AllowListPreset[]> {
    const folder = this.config.allowListPresetsDir;
    if (folder === undefined) return [];
    const files = await readdir(folder).catch(() => []);
    const presets = files.filter((file) => /^[\w.-]{1,60}\.(json|txt)$/.test(file)).slice(0, MAX_FILES);
    const names = new Set(presets.map((file) => parse(file).name));
    await this.remember(names);
    for (const file of presets) await this.refresh(parse(file).name, join(folder, file));
    for (const [name, preset] of this.known)
      if (!names.has(name))
        this.known.set(name, { ...preset, problem: 'its file is gone', mtimeMs: NEVER_MS });
    return [...this.known.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Takes over what earlier processes have read of files that this one has not met. */
  private async remember(names: ReadonlySet<string>): Promise<void> {
    if ([...names].every((name) => this.known.has(name))) return;
    for (const preset of await this.stored.list())
      if (names.has(preset.name) && !this.known.has(preset.name))
        this.known.set(preset.name, { ...preset, mtimeMs: NEVER_MS });
  }

  private async refresh(name: string, path: string): Promise<void> {
    const before = this.known.get(name);
    const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: NEVER_MS, size: 0 }));
    if (before?.mtimeMs === mtimeMs && mtimeMs !== NEVER_MS) return;
    const read = await readBounded(path, size);
    this.known.set(
      name,
      read.ok
        ? { name, blocks: read.blocks, changedAt: new Date(mtimeMs), problem: null, mtimeMs }
        : {
            name,
            blocks: before?.blocks ?? [],
            changedAt: before?.changedAt ?? null,
            problem: read.problem,
            mtimeMs,
          },
    );
  }
}

function outdatedOf(preset: AllowListPreset, lists: readonly NotedList[]): OutdatedList[] {
  return lists.flatMap(({ addresses, notes, ...list }) => {
    const entries = addresses.map((address) => ({ address, note: notes[address] ?? null }));
    const { isListed, added, removed } = presetChange(entries, preset);
    return isListed && added.length + removed.length > 0 ? [list] : [];
  });
}

async function readBounded(path: string, size: number): Promise<ReadPreset> {
  if (size > MAX_BYTES) return { ok: false, problem: `it has more than ${MAX_BYTES} bytes` };
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? { ok: false, problem: 'it cannot be read' } : inTurns(readingPreset(text));
}
