import { clientOf } from '@app/auth/client-of';
import type { AppConfig } from '@app/config/app-config';
import { formatIpAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

const REFUSED = 400;
const NOT_AUTHENTICATED = 401;

/**
 * Writes one line for a finished request: refusals always, the others only with ACCESS_LOG=all or for developers, since a line
 * costs a fifth of such a request and observed traffic counts them. That of a refused credential, which names no key, has the address it
 * came from. Never the query or the headers: they may carry credentials.
 */
export function accessLog(config: AppConfig): (request: FastifyRequest, reply: FastifyReply) => void {
  const { accessLog: logged } = config;
  const logger = new Logger('Request');
  const logsServed = logged === 'all' || Logger.isLevelEnabled('debug');
  return (request, reply) => {
    const { statusCode } = reply;
    if (request.route.access === 'public' || (statusCode < REFUSED && !logsServed)) return;
    logger[statusCode < REFUSED && logged !== 'all' ? 'debug' : 'log'](
      `${request.method} ${request.routeOptions.url ?? '(no route)'} ${statusCode}`,
      {
        requestId: request.id,
        status: statusCode,
        ms: Math.round(reply.elapsedTime),
        ...(statusCode === NOT_AUTHENTICATED && { address: shown(clientOf(request, config)) }),
        ...(request.caller && { keyId: request.caller.keyId, accountId: request.caller.accountId }),
        ...(request.service && { serviceId: request.service.id }),
        ...(request.staff && { staffId: request.staff.id }),
      },
    );
  };
}

const shown = (address: IpAddress | null) => address && formatIpAddress(address);
