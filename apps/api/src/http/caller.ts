import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { VerifiableKey } from '@app/domain/key-decision';
import type { FastifyRequest } from 'fastify';

/** Who calls, and with which request. Every service method that acts for a customer takes it first. */
export interface Caller {
  key: VerifiableKey;
  requestId: string;
}

/** The verified caller of a route with a scope. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  if (!request.caller)
    throw new Error(`${request.routeOptions.url} asks for a caller but declares no scope.`);
  return { key: request.caller, requestId: request.id };
});
