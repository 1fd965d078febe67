import { DomainError } from '@app/domain/errors';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route takes `multipart/form-data` instead of JSON. */
    multipart?: boolean;
  }
}

type BodyKind = 'application/json' | 'multipart/form-data';

/** The refusal of a body of another kind than the route takes. */
export function refuseContentType(request: FastifyRequest): DomainError {
  const given = request.headers['content-type'] ?? 'none';
  return new DomainError('invalid_content_type', { given, accepted: acceptedBy(request) });
}

/** @throws DomainError `invalid_content_type` when the route takes bodies of another kind */
export function requireBodyKind(request: FastifyRequest, kind: BodyKind): void {
  if (acceptedBy(request) !== kind) throw refuseContentType(request);
}

function acceptedBy({ routeOptions }: FastifyRequest): BodyKind {
  return routeOptions.config.multipart ? 'multipart/form-data' : 'application/json';
}
