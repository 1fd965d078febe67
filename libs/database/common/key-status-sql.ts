import type { KeyStatus } from '@app/domain/keys/key-status';

/** The status of the key `key` that is not deleted, in SQL: what `keyStatus` says of a row. */
export const STATUS_OF_KEY = {
  enabled: (key) => `${key}.disable_reason IS NULL AND ${isNotOver(key)}`,
  disabled: (key) => `${key}.disable_reason IS NOT NULL`,
  expired: (key) => `${key}.disable_reason IS NULL AND ${key}.expires_at <= now()`,
} as const satisfies Record<Exclude<KeyStatus, 'deleted'>, (key: string) => string>;

/** Whether the time of the key `key` is not over, in SQL. */
export function isNotOver(key: string): string {
  return `(${key}.expires_at IS NULL OR ${key}.expires_at > now())`;
}

/** Whether the key `key` works, in SQL. The text is inlined and not a function, so that partial indexes and their plans remain. */
export function keyWorks(key: string): string {
  return `${key}.deleted_at IS NULL AND ${STATUS_OF_KEY.enabled(key)}`;
}
