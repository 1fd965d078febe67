import { DomainError } from '@app/domain/errors';
import type { FastifyRequest } from 'fastify';
import { isPublicPath } from '../http/public-path';
import type { RouteTable } from '../http/route-table';

const NOT_OFFERED = ': this operation is not offered here. docs/api-compatibility.md lists those that are.';

/** Operations of the contract that are not offered, and whose path looks like that of an object here. */
const LIKE_AN_OBJECT = [
  'POST /v1/history/download',
  'POST /v1/voices/collections',
  'GET /v1/voices/accents',
  'GET /v1/voices/collections',
];

/** Whether a request that a route serves, as one for an object, is one for an operation that is not offered. */
export function isNotOffered({ method, url }: FastifyRequest): boolean {
  return LIKE_AN_OBJECT.includes(`${method} ${pathOf(url)}`);
}

/** The refusal of a request that no route serves. */
export function refuseUnknownRoute(routes: RouteTable, request: FastifyRequest): DomainError {
  const { method, url } = request;
  const allowed = routes.methodsAt(pathOf(url));
  if (allowed.length > 0 && !isNotOffered(request))
    return new DomainError('method_not_allowed', { method, allowed: allowed.join(', ') });
  return new DomainError('not_found', isPublicPath(url) ? { advice: NOT_OFFERED } : {});
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!;
}
