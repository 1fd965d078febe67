import { DomainError } from '../errors';

/** The version of an object as an ETag (RFC 9110, 8.8.3). */
export function etagOf(version: number): string {
  return `"v${version}"`;
}

/** The versions a change may be based on; `any` for `If-Match: *`. */
export type ExpectedVersion = readonly number[] | 'any';

/** @throws DomainError `precondition_failed` when a change is based on another version than the current one */
export function checkVersion(expected: ExpectedVersion, current: number): void {
  if (expected === 'any' || expected.includes(current)) return;
  throw new DomainError('precondition_failed', {
    given: expected.map(etagOf).join(', ') || 'with no ETag of ours',
    current: etagOf(current),
  });
}
