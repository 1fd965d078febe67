import { DomainError } from '@app/domain/errors';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route takes `multipart/form-data` instead of JSON. */
    multipart?: boolean;
  }
}

export type BodyKind = 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';

/** The content types that a route takes. Only services may send simple forms: a page of any site can send one. */
export function acceptedTypes({
  access,
  multipart,
}: Pick<FastifyContextConfig, 'access' | 'multipart'>): BodyKind[] {
  if (multipart) return ['multipart/form-data'];
  return access === 'service'
    ? ['application/json', 'application/x-www-form-urlencoded']
    : ['application/json'];
}

/** The refusal of a body of another kind than the route takes. */
export function refuseContentType({ headers, routeOptions }: FastifyRequest): DomainError {
  const given = headers['content-type'] ?? 'none';
  return new DomainError('invalid_content_type', {
    given,
    accepted: acceptedTypes(routeOptions.config).join(' or '),
  });
}

/** @throws DomainError `invalid_content_type` when the route takes bodies of another kind */
export function requireBodyKind(request: FastifyRequest, kind: BodyKind): void {
  if (!acceptedTypes(request.route).includes(kind)) throw refuseContentType(request);
}
