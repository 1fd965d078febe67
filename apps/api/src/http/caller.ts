import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { formatIpAddress } from '@app/domain/ip-address';
import type { VerifiableKey } from '@app/domain/key-decision';
import type { FastifyRequest } from 'fastify';

/** Who calls, and with which request. Every service method that acts for a customer takes it first. */
export interface Caller {
  key: VerifiableKey;
  /** Address of the client; null when it cannot be known. */
  address: string | null;
  requestId: string;
  /** The address that was called, without a path, as the caller wrote it. */
  origin: string;
}

/** The verified caller of a route with a scope. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  if (!request.caller)
    throw new Error(`${request.routeOptions.url} asks for a caller but declares no scope.`);
  const { caller: key, clientAddress, id: requestId, protocol, host } = request;
  const address = clientAddress ? formatIpAddress(clientAddress) : null;
  return { key, address, requestId, origin: `${protocol}://${host}` };
});
