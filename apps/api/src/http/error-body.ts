import { DomainError, ERRORS, type ErrorCode, type ErrorFamily } from '@app/domain/errors';
import type { ValidationErrorBody, ValidationProblem } from './wire-problem';

interface Row {
  httpStatus: number;
  type: ErrorFamily;
  legacyStatus?: string;
}

const DEFAULT_RETRY_AFTER_SECS = 5;

/** A refusal of the public API. */
export interface ErrorBody {
  detail: {
    /** Family of the refusal. */
    type: ErrorFamily;
    /** What exactly it was; programs should look at this. */
    code: string;
    /** The same in words. */
    message: string;
    /** What older programs look at; mostly the code. */
    status: string;
    /** The same as in the header `x-request-id`. */
    request_id: string;
    /** Which input was refused. */
    param?: string;
  };
}

/** The challenge of a 401 that needs something other than a key (RFC 6750, 3). */
const CHALLENGES: Partial<Record<ErrorCode, string>> = {
  missing_service_credential: 'Bearer realm="greenroom"',
  invalid_service_credential: 'Bearer realm="greenroom", error="invalid_token"',
  invalid_scim_token: 'Bearer realm="greenroom", error="invalid_token"',
  invalid_management_credential: 'Bearer realm="greenroom", error="invalid_token"',
};

interface RefusalResponse<Body> {
  status: number;
  headers: Record<string, string>;
  body: Body;
}

/** The response of the public API to a refusal: status, headers and the body clients match on. */
export function toErrorBody(error: DomainError, requestId: string): RefusalResponse<ErrorBody> {
  const row: Row = ERRORS[error.code];
  return {
    status: row.httpStatus,
    headers: headersFor(row.httpStatus, error),
    body: {
      detail: {
        type: row.type,
        code: error.code,
        message: error.message,
        status: row.legacyStatus ?? error.code,
        request_id: requestId,
        ...(error.options.param && { param: error.options.param }),
      },
    },
  };
}

/** The same for a body or query as well that has not the declared form. */
export function toRefusalResponse(
  refusal: DomainError | ValidationProblem,
  requestId: string,
): RefusalResponse<ErrorBody | ValidationErrorBody> {
  if (refusal instanceof DomainError) return toErrorBody(refusal, requestId);
  return { status: 422, headers: {}, body: { detail: refusal.problems } };
}

function headersFor(status: number, error: DomainError): Record<string, string> {
  if (status === 401) return { 'www-authenticate': CHALLENGES[error.code] ?? 'ApiKey realm="greenroom"' };
  if (status === 405) return { allow: String(error.params.allowed) };
  if (status === 416) return { 'content-range': `bytes */${error.params.sizeBytes}` };
  const isBusy = status === 429 || status === 503;
  const { retryAfterSecs = isBusy ? DEFAULT_RETRY_AFTER_SECS : undefined } = error.options;
  return retryAfterSecs === undefined ? {} : { 'retry-after': String(retryAfterSecs) };
}
