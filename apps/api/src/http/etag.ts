import { DomainError } from '@app/domain/errors';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * Protection against lost updates (RFC 9110, 8.8.3 and 13.1.1): an answer carries the version of its object as an ETag, a
 * change says in If-Match which version it was made from.
 *
 *     reply.header('etag', etagOf(key.version));                        // GET, and every answer to a change
 *     edit(@IfMatch() expected: ExpectedVersion, …)                     // 428 when missing
 *     checkVersion(expected, key.version);                              // 412; on the locked row, in the transaction
 */
export function etagOf(version: number): string {
  return `"v${version}"`;
}

/** The versions a change may be made from; `any` for `If-Match: *`. */
export type ExpectedVersion = readonly number[] | 'any';

/**
 * Reads an If-Match header.
 *
 * @throws DomainError `precondition_required` without one. An unknown ETag matches nothing.
 */
export function expectedVersion(header: string | undefined): ExpectedVersion {
  if (header === undefined || header.trim() === '') throw new DomainError('precondition_required');
  if (header.trim() === '*') return 'any';
  const tags = header.split(',').map((tag) => /^"v(\d{1,15})"$/.exec(tag.trim())?.[1]);
  return tags.flatMap((tag) => (tag === undefined ? [] : [Number(tag)]));
}

/** @throws DomainError `precondition_failed` when a change was made from another version than the current one */
export function checkVersion(expected: ExpectedVersion, current: number): void {
  if (expected === 'any' || expected.includes(current)) return;
  throw new DomainError('precondition_failed', {
    given: expected.map(etagOf).join(', ') || 'with no ETag of ours',
    current: etagOf(current),
  });
}

/** The version a change was made from. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): ExpectedVersion =>
  expectedVersion(context.switchToHttp().getRequest<FastifyRequest>().headers['if-match']),
);
