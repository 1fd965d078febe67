import { FIRST_CELL } from '@app/domain/common/cell';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError, ERRORS } from '@app/domain/errors';
import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toRefusalResponse } from '../http/error-body';
import { refuseContentType } from '../http/content-type';
import { isStaffPath, toProblem } from '../http/problem-json';
import { SCIM_PATH, toScimError } from '../http/scim-error';
import type { RouteTable } from '../http/route-table';
import { toServiceUnavailable } from '../http/unavailable';
import { otherCellOfPath } from './other-cell';
import { refuseUnknownRoute } from './unknown-routes';
import { invalid, ValidationProblem } from '../http/wire-problem';

declare module 'fastify' {
  interface FastifyRequest {
    /** Why it was refused or failed, once its response says so. */
    refusal?: DomainError | ValidationProblem;
  }
}

/** Refusals of the framework, by status: Nest hands them over as exceptions without Fastify's code. */
const FRAMEWORK_ERRORS: Record<number, (request: FastifyRequest) => DomainError> = {
  413: ({ routeOptions }) =>
    new DomainError('request_too_large', { limitBytes: routeOptions.bodyLimit ?? 0 }),
  414: () => new DomainError('uri_too_long'),
  415: (request) => refuseContentType(request),
};

/** The one place where an error becomes a response. An unknown error is a 500 with fixed text, logged once. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  /** @param cell the mark of this cell */
  constructor(
    private readonly routes: RouteTable,
    private readonly cell = FIRST_CELL,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.sendRefusal(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  sendRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const refusal = (request.refusal = this.toRefusal(error, request));
    const { status, headers, body } = toResponse(refusal, request);
    if (status >= 500 && refusal instanceof DomainError) this.log(error, refusal, request);
    void reply.status(status).headers(headers).send(body);
  }

  private toRefusal(error: unknown, request: FastifyRequest): DomainError | ValidationProblem {
    if (error instanceof InvalidInput) return invalid('body', ...error.problems);
    if (error instanceof ValidationProblem) return error;
    const refusal = this.toDomainError(error, request);
    const isMissing = ERRORS[refusal.code].httpStatus === 404 && isStaffPath(request.routeOptions.url ?? '');
    return (isMissing && otherCellOfPath(request.params, this.cell)) || refusal;
  }

  private toDomainError(error: unknown, request: FastifyRequest): DomainError {
    if (error instanceof DomainError) return error;
    const status =
      error instanceof HttpException ? error.getStatus() : (error as { statusCode?: number }).statusCode;
    const framework = FRAMEWORK_ERRORS[status ?? 0];
    if (framework) return framework(request);
    if (status === 404) return refuseUnknownRoute(this.routes, request);
    if (status !== undefined && status >= 400 && status < 500) {
      return new DomainError('bad_request', { reason: (error as Error).message });
    }
    return toServiceUnavailable(error) ?? new DomainError('internal_error', {}, { cause: error });
  }

  /** A refusal that says when to try again, such as a full queue for speech, is a warning; everything else is an error. */
  private log(error: unknown, refusal: DomainError, request: FastifyRequest): void {
    const isOurs = error instanceof DomainError;
    const cause = isOurs ? (error.options.cause ?? error) : error;
    const level = isOurs && error.options.retryAfterSecs !== undefined ? 'warn' : 'error';
    this.logger[level](cause instanceof Error ? cause.message : String(cause), {
      requestId: request.id,
      route: request.routeOptions.url,
      code: refusal.code,
      ...(refusal.code === 'internal_error' && cause instanceof Error && { stack: cause.stack }),
    });
  }
}

function toResponse(
  refusal: DomainError | ValidationProblem,
  request: FastifyRequest,
): { status: number; headers: Record<string, string>; body: object } {
  // The path of the route, if there is one: the path of the request may be written in another way.
  const path = request.routeOptions.url ?? request.url;
  if (isStaffPath(path)) return toProblem(refusal, request);
  if (path.startsWith(`${SCIM_PATH}/`)) return toScimError(refusal, request.id);
  return toRefusalResponse(refusal, request.id);
}
