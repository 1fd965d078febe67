import { createHash } from 'node:crypto';
import { DomainError } from '../errors';

/** The version of an object as an ETag (RFC 9110, 8.8.3); all of them where its parts have their own. */
export function etagOf(...versions: number[]): string {
  return `"v${versions.join('.')}"`;
}

/** The versions a change may be based on; `any` for `If-Match: *`. */
export type ExpectedVersion = readonly number[] | 'any';

/** @throws DomainError `precondition_failed` when a change is based on another version than the current one */
export function checkVersion(expected: ExpectedVersion, current: number): void {
  if (expected === 'any' || expected.includes(current)) return;
  throw new DomainError('precondition_failed', {
    input: expected.map((version) => etagOf(version)).join(', ') || 'with no ETag of ours',
    current: etagOf(current),
  });
}

/**
 * The version of what has no separate number: the first 48 bits of a digest of its content. 0 for what is not there, so that a
 * change can be based on that too.
 *
 * @param content plain data; its fields in one order
 */
export function contentVersion(content: object | null): number {
  if (content === null) return 0;
  return parseInt(createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12), 16);
}
