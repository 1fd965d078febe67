import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { formatIpAddress } from '@app/domain/addresses/ip-address';
import type { VerifiableKey } from '@app/domain/keys/key-decision';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientSignal } from './client-signal';

/** Who calls, and with which request. Every service method that acts for a customer takes it first. */
export interface Caller {
  key: VerifiableKey;
  /** Address of the client; null when it cannot be known. */
  address: string | null;
  requestId: string;
  /** The address that was called, without a path, as the caller wrote it. */
  origin: string;
  /** The most that the request may cost, if it came with a single-use token that says so; else null. */
  maxCredits: number | null;
  /** Aborts when the client goes away before it has its response. */
  readonly signal: AbortSignal;
}

/** The verified caller of a route with a scope. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  if (!request.caller)
    throw new Error(`${request.routeOptions.url} asks for a caller but declares no scope.`);
  const { caller: key, clientAddress, id: requestId, protocol, host, singleUseToken } = request;
  return {
    key,
    address: clientAddress ? formatIpAddress(clientAddress) : null,
    requestId,
    origin: `${protocol}://${host}`,
    maxCredits: singleUseToken?.maxCredits ?? null,
    // Few routes listen for it.
    get signal() {
      return clientSignal(http.getResponse<FastifyReply>());
    },
  };
});
