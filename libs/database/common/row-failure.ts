import { isStatementTimeout } from './statement-timeout';

/** SQLSTATE `lock_not_available`: another transaction held a lock for longer than `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';
/** The classes of values and constraints. */
const OF_VALUES = /^2[23]...$/;

/** Whether a statement failed because another transaction held a lock for too long. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === LOCK_NOT_AVAILABLE;
}

/**
 * Whether a statement failed because of the rows that it met: another transaction had locked them, they were too many for its
 * time, or their values were refused. It has changed nothing, and may succeed for other rows.
 */
export function isRowFailure(error: unknown): boolean {
  return isLockTimeout(error) || isStatementTimeout(error) || OF_VALUES.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}
