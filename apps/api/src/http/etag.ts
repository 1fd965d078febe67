import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import { DomainError } from '@app/domain/errors';
import {
  createParamDecorator,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tap, type Observable } from 'rxjs';

/**
 * Reads an If-Match header.
 *
 * Protection against lost updates (RFC 9110, 8.8.3 and 13.1.1): a response carries the version of its object as an ETag, a
 * change says in If-Match which version it is based on.
 *
 *     edit(@Change() { actor, expected, reason }: ChangeByStaff, …)       // 428 when missing
 *     checkVersion(expected, key.version);                              // 412; on the locked row, in the transaction
 *
 * @throws DomainError `precondition_required` without one. An unknown ETag matches nothing.
 */
export function expectedVersion(header: string | undefined): ExpectedVersion {
  if (header === undefined || header.trim() === '') throw new DomainError('precondition_required');
  if (header.trim() === '*') return 'any';
  const tags = header.split(',').map((tag) => /^"v(\d{1,15}(?:\.\d{1,15})?)"$/.exec(tag.trim())?.[1]);
  return tags.flatMap((tag) => tag?.split('.').map(Number) ?? []);
}

/** The version that an action without a reason is based on; a change with one has it from `@Change`. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext) => versionIn(context));

/** The version in If-Match; see `expectedVersion`. */
export function versionIn(context: ExecutionContext): ExpectedVersion {
  return expectedVersion(context.switchToHttp().getRequest<FastifyRequest>().headers['if-match']);
}

/** Sets the ETag of a response of staff that has a `version`; that of a voice fits the changes of its review and all others. */
@Injectable()
export class EtagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      tap((body: { version?: unknown; curation_version?: unknown } | null | undefined) => {
        const versions = [body?.version, body?.curation_version].filter((each) => typeof each === 'number');
        if (versions.length > 0) void reply.header('etag', etagOf(...versions));
      }),
    );
  }
}
