import { DomainError } from '@app/domain/errors';
import { toErrorBody } from './error-body';
import type { ValidationProblem } from './wire-problem';

/** Everything under this path is for the identity provider. */
export const SCIM_PATH = '/scim/v2';
export const SCIM_MEDIA_TYPE = 'application/scim+json';

/** The response of SCIM to a refusal (RFC 7644, 3.12). */
export function toScimError(refusal: DomainError | ValidationProblem, requestId: string) {
  const isRefusal = refusal instanceof DomainError;
  const { status, headers } = isRefusal ? toErrorBody(refusal, requestId) : { status: 400, headers: {} };
  const isFilter = !isRefusal && refusal.problems[0]?.loc.includes('filter');
  const scimType = isFilter ? 'invalidFilter' : { 400: 'invalidValue', 409: 'uniqueness' }[status];
  return {
    status,
    headers: { ...headers, 'content-type': SCIM_MEDIA_TYPE },
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(scimType && { scimType }),
      detail: refusal.message,
    },
  };
}
