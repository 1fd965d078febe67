import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/** Writes one line per answered request. Never the query or the headers: they may carry credentials. */
export function logRequests(fastify: FastifyInstance): void {
  const logger = new Logger('Request');
  fastify.addHook('onResponse', async (request, reply) => {
    if (request.routeOptions.config.access === 'public') return;
    logger.log(`${request.method} ${request.routeOptions.url ?? '(no route)'} ${reply.statusCode}`, {
      requestId: request.id,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(request.caller && { keyId: request.caller.keyId, accountId: request.caller.accountId }),
      ...(request.staff && { staffId: request.staff.id }),
    });
  });
}
