import { DomainError } from '@app/domain/errors';
import type { FastifyRequest } from 'fastify';
import { isPublicPath } from '../http/public-path';
import type { RouteTable } from '../http/route-table';

const NOT_OFFERED = ': this operation is not offered here. docs/api-compatibility.md lists those that are.';

/** Operations of the contract that are not offered, and whose path looks like that of an object here. */
const LIKE_AN_OBJECT = ['POST /v1/history/download', 'POST /v1/voices/collections', 'POST /v1/voices/pvc'];

/** The refusal of a request that no route serves. */
export function refuseUnknownRoute(routes: RouteTable, { method, url }: FastifyRequest): DomainError {
  const [path] = url.split('?') as [string];
  const allowed = routes.methodsAt(path);
  if (allowed.length > 0 && !LIKE_AN_OBJECT.includes(`${method} ${path}`))
    return new DomainError('method_not_allowed', { method, allowed: allowed.join(', ') });
  return new DomainError('not_found', isPublicPath(url) ? { advice: NOT_OFFERED } : {});
}
