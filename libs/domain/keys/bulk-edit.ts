import type { DisableReason } from './disable-reasons';

/** What can be done to many keys at once. */
export const BULK_ACTIONS = [
  'enable',
  'disable',
  'set_expiry',
  'set_credit_limit',
  'add_tag',
  'remove_tag',
] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** What is done to many keys. Times are ISO 8601 texts; null sets no expiry, or no limit of the key's own. */
export type BulkEdit =
  | { action: 'enable'; value: null }
  | { action: 'disable'; value: DisableReason }
  | { action: 'set_expiry'; value: string | null }
  | { action: 'set_credit_limit'; value: number | null }
  | { action: 'add_tag' | 'remove_tag'; value: string };

/** Why a change of many leaves a key as it is, although it was selected. */
export const SKIPPED = [
  'already',
  'account_closed',
  'managed_by_file',
  'beyond_policy',
  'too_many_tags',
  'exposed',
  'deleted',
] as const;
export type Skipped = (typeof SKIPPED)[number];

/** Whether the action changes a setting, which a file of keys may manage. */
export function isSetting(action: BulkAction): boolean {
  return action !== 'enable' && action !== 'disable';
}

/** Whether the action is refused for keys of a closed account, as it is for a single one. */
export function needsOpenAccount(action: BulkAction): boolean {
  return action !== 'disable';
}
