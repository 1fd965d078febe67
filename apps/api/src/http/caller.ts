import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { formatIpAddress } from '@app/domain/addresses/ip-address';
import type { Caller } from '@app/domain/keys/caller';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientSignal } from './client-signal';

/** The verified caller of a route with a scope. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  if (!request.caller) throw new Error(`${request.routeOptions.url} needs a caller but declares no scope.`);
  const { caller: key, clientAddress, id: requestId, ownOrigin, singleUseToken, endUser } = request;
  return {
    key,
    address: clientAddress ? formatIpAddress(clientAddress) : null,
    requestId,
    origin: ownOrigin,
    maxCredits: singleUseToken?.maxCredits ?? null,
    endUser: endUser ?? null,
    // Few routes listen for it.
    get signal() {
      return clientSignal(http.getResponse<FastifyReply>());
    },
  };
});
