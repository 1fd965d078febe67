import { DomainError } from '@app/domain/errors';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route takes forms, as `multipart/form-data` or in their simple encoding, instead of JSON. */
    multipart?: boolean;
  }
}

type BodyKind =
  | 'application/json'
  | 'application/scim+json'
  | 'application/x-www-form-urlencoded'
  | 'multipart/form-data';

/**
 * The content types that a route takes. Forms are for services, and where the wire contract has them: a page of any site can
 * send one, but neither their credential nor a key with it.
 */
export function acceptedTypes({
  access,
  multipart,
}: Pick<FastifyContextConfig, 'access' | 'multipart'>): BodyKind[] {
  if (multipart) return ['multipart/form-data', 'application/x-www-form-urlencoded'];
  if (access === 'identity_provider') return ['application/scim+json', 'application/json'];
  return access === 'service'
    ? ['application/json', 'application/x-www-form-urlencoded']
    : ['application/json'];
}

/** The refusal of a body of another kind than the route takes. */
export function refuseContentType({ headers, routeOptions }: FastifyRequest): DomainError {
  const encoding = headers['content-encoding'];
  const type = headers['content-type'] ?? 'none';
  const input = isPlain(encoding) ? type : `${type} with the content encoding ${encoding}`;
  return new DomainError('invalid_content_type', {
    input,
    accepted: acceptedTypes(routeOptions.config).join(' or '),
  });
}

/** @throws DomainError `invalid_content_type` when the route takes bodies of another kind, or this one is compressed */
export function requireBodyKind(request: FastifyRequest, kind: BodyKind): void {
  const isAccepted = acceptedTypes(request.route).includes(kind);
  if (!isAccepted || !isPlain(request.headers['content-encoding'])) throw refuseContentType(request);
}

/** Bodies are bounded by what arrives; unpacked, a small one could be any size. */
const isPlain = (encoding: string | undefined) => encoding === undefined || encoding === 'identity';
