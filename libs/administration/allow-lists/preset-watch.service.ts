import type { StoredPreset } from '@app/database/keys/allow-list-preset.entity';
import { AllowListPresetRepository } from '@app/database/keys/allow-list-preset.repository';
import { Injectable } from '@nestjs/common';
import { bySystem } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import type { AuditEntry } from '../audit/audit-log';
import { AllowListPresets, type AllowListPreset } from './allow-list-presets.service';

const ACTOR = bySystem('preset-watch');
/** Blocks that an event names; the others are counted. */
const NAMED = 100;

/** Writes down what the files of presets have become, so that the audit log says when, and what they were outlives a process. */
@Injectable()
export class PresetWatchService {
  /** What this process has written down, by the name of the preset. */
  private readonly seen = new Map<string, string>();

  constructor(
    private readonly presets: AllowListPresets,
    private readonly stored: AllowListPresetRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /** How many presets are no longer as they were written down. Several processes write each change once. */
  async check(): Promise<number> {
    const news = (await this.presets.list()).filter(
      (preset) => this.seen.get(preset.name) !== textOf(preset),
    );
    if (news.length === 0) return 0;
    const { result } = await this.changes.make(async (em) => {
      const stored = new Map((await this.stored.lockAll(em)).map((preset) => [preset.name, preset]));
      const changed = news.filter((preset) => this.isNew(preset, stored.get(preset.name)));
      if (changed.length > 0) await this.stored.save(changed.map(toStored), em);
      const events = changed.map((preset) => eventOf(preset, stored.get(preset.name)));
      return { result: changed.length, events };
    });
    for (const preset of news) this.seen.set(preset.name, textOf(preset));
    return result;
  }

  /** A process that begins with an older copy of a file than another has read does not write it down. */
  private isNew(preset: AllowListPreset, stored: StoredPreset | undefined): boolean {
    if (!stored) return true;
    if (textOf(preset) === textOf(stored)) return false;
    const isOlder = preset.problem === null && preset.changedAt! < (stored.changedAt ?? preset.changedAt!);
    return this.seen.has(preset.name) || !isOlder;
  }
}

/** What of a preset is compared: a file that was only touched is not a change. */
function textOf({ blocks, problem }: StoredPreset): string {
  return JSON.stringify([problem, blocks]);
}

function toStored({ name, blocks, problem, changedAt }: AllowListPreset): StoredPreset {
  return { name, blocks, problem, changedAt };
}

function eventOf({ name, blocks, problem }: AllowListPreset, stored: StoredPreset | undefined): AuditEntry {
  const target = { type: 'allow_list_preset', id: name };
  if (problem !== null)
    return { actor: ACTOR, target, action: 'allow_list_preset.failed', after: { problem } };
  if (!stored)
    return { actor: ACTOR, target, action: 'allow_list_preset.added', after: { blocks: blocks.length } };
  const without = (all: readonly string[], others: readonly string[]) => {
    const known = new Set(others);
    return all.filter((block) => !known.has(block)).slice(0, NAMED);
  };
  return {
    actor: ACTOR,
    target,
    action: 'allow_list_preset.changed',
    before: { blocks: stored.blocks.length, ...(stored.problem !== null && { problem: stored.problem }) },
    after: {
      blocks: blocks.length,
      added: without(blocks, stored.blocks),
      removed: without(stored.blocks, blocks),
    },
  };
}
