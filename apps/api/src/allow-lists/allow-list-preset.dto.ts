import type { ExaminedPreset } from '@app/administration/allow-lists/allow-list-presets.service';

export interface AllowListPresetResponse {
  name: string;
  /** Those of the file, or those that it had when it could be read last. */
  blocks: string[];
  /** When the file that the blocks come from was changed. */
  changed_at: string | null;
  /** Why the file as it is now is not used; null when it is. */
  problem: string | null;
  /** How many lists have entries of the preset that are no longer its blocks. */
  outdated_lists: number;
  /** The first of them. */
  outdated: OutdatedListResponse[];
}

interface OutdatedListResponse {
  kind: 'key' | 'account';
  /** Of the key or the account whose list it is. */
  id: string;
  name: string;
  account: { id: string; name: string };
}

/** Lists that are named. */
const NAMED = 50;

export interface AllowListPresetsResponse {
  items: AllowListPresetResponse[];
  /** Why the configured folder cannot be read; null when it can, or none is configured. */
  folder_problem: string | null;
}

export function toPresetResponse({
  name,
  blocks,
  changedAt,
  problem,
  outdated,
}: ExaminedPreset): AllowListPresetResponse {
  return {
    name,
    blocks,
    changed_at: changedAt?.toISOString() ?? null,
    problem,
    outdated_lists: outdated.length,
    outdated: outdated.slice(0, NAMED).map(({ kind, id, name: ownerName, accountId, accountName }) => ({
      kind,
      id,
      name: ownerName,
      account: { id: accountId, name: accountName },
    })),
  };
}
