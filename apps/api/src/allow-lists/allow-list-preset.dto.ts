import type { AllowListPreset } from '@app/administration/allow-lists/allow-list-presets.service';

export interface AllowListPresetResponse {
  name: string;
  /** Those of the file, or those that it had when it could be read last. */
  blocks: string[];
  /** When the file that the blocks come from was changed. */
  changed_at: string | null;
  /** Why the file as it is now is not used; null when it is. */
  problem: string | null;
}

export function toPresetResponse({
  name,
  blocks,
  changedAt,
  problem,
}: AllowListPreset): AllowListPresetResponse {
  return { name, blocks, changed_at: changedAt?.toISOString() ?? null, problem };
}
