import type { ExpectedVersion } from '@app/domain/common/version';
import { DomainError } from '@app/domain/errors';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * Reads an If-Match header.
 *
 * Protection against lost updates (RFC 9110, 8.8.3 and 13.1.1): a response carries the version of its object as an ETag, a
 * change says in If-Match which version it is based on.
 *
 *     reply.header('etag', etagOf(key.version));                        // GET, and every response to a change
 *     edit(@IfMatch() expected: ExpectedVersion, …)                     // 428 when missing
 *     checkVersion(expected, key.version);                              // 412; on the locked row, in the transaction
 *
 * @throws DomainError `precondition_required` without one. An unknown ETag matches nothing.
 */
export function expectedVersion(header: string | undefined): ExpectedVersion {
  if (header === undefined || header.trim() === '') throw new DomainError('precondition_required');
  if (header.trim() === '*') return 'any';
  const tags = header.split(',').map((tag) => /^"v(\d{1,15})"$/.exec(tag.trim())?.[1]);
  return tags.flatMap((tag) => (tag === undefined ? [] : [Number(tag)]));
}

/** The version a change is based on. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): ExpectedVersion =>
  expectedVersion(context.switchToHttp().getRequest<FastifyRequest>().headers['if-match']),
);
