import type { ExaminedPreset } from '@app/administration/allow-lists/allow-list-presets.service';

/** Lists that are named. */
const NAMED = 50;

export interface AllowListPresetsResponse {
  items: AllowListPresetResponse[];
  /** Why the configured folder cannot be read; null when it can, or none is configured. */
  folder_problem: string | null;
}

export interface AllowListPresetResponse extends ReturnType<typeof toPresetResponse> {}

export function toPresetResponse({ name, blocks, changedAt, problem, outdated }: ExaminedPreset) {
  return {
    name,
    /** Those of the file, or those that it had when it could be read last. */
    blocks,
    /** When the file that the blocks come from was changed. */
    changed_at: changedAt?.toISOString() ?? null,
    /** Why the file as it is now is not used; null when it is. */
    problem,
    /** How many lists have entries of the preset that are no longer its blocks. */
    outdated_lists: outdated.length,
    /** The first of them. */
    outdated: outdated.slice(0, NAMED).map(toOutdatedList),
  };
}

export interface OutdatedListResponse extends ReturnType<typeof toOutdatedList> {}

function toOutdatedList({ kind, id, name, accountId, accountName }: ExaminedPreset['outdated'][number]) {
  return {
    kind,
    /** Of the key or the account whose list it is. */
    id,
    name,
    account: { id: accountId, name: accountName },
  };
}
