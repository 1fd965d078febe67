import { clientOf } from '@app/auth/client-of';
import { isForKeys } from '@app/auth/route-hooks';
import type { AppConfig } from '@app/config/app-config';
import { networkOf } from '@app/domain/addresses/client-address';
import { HeldShares } from '@app/domain/common/held-shares';
import { DomainError } from '@app/domain/errors';
import type {
  FastifyInstance,
  FastifyRequest,
  onSendHookHandler,
  preHandlerHookHandler,
  preParsingHookHandler,
} from 'fastify';
import { MAX_FILE_BYTES } from '../http/upload';
import { countBody } from './counted-body';
import { isPacked } from './packed-body';
import { HeldBody, SMALL_BYTES, type BodyOwner } from './held-body';
import { SocketBudgets } from './socket-budgets';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on requests whose body is counted. */
    heldBody?: HeldBody;
  }
}

/** Fastify reads no body of these. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const MIB = 1024 * 1024;

/**
 * Bounds the memory that request bodies hold together, by account, from before the first byte is read until the response is
 * sent and its handler has ended. A declared length counts at once, another body as it arrives; of a form with files no more
 * than one file is held. Must run before routes are registered.
 */
export function boundLargeBodies(fastify: FastifyInstance, config: AppConfig): void {
  const ownerOf = divideMemory(config);
  fastify.decorate('socketBudgets', new SocketBudgets(ownerOf));
  const hold: preParsingHookHandler = (request, reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    // What a packed body is unpacked to counts as much as it may be.
    const declared = isPacked(request) ? String(request.routeOptions.bodyLimit) : length;
    const isSmall = declared === undefined ? encoding === undefined : Number(declared) <= SMALL_BYTES;
    if (isSmall) return done(null, payload);
    // Its `close` is over: nothing would release what is counted now.
    if (reply.raw.destroyed) throw new DomainError('client_gone');
    const body = new HeldBody(ownerOf(request));
    request.heldBody = body;
    reply.raw.once('close', () => body.end('connection'));
    if (declared !== undefined) body.declare(Math.min(Number(declared), largestOf(request)));
    // The reader of a form counts the files that it holds.
    const isCounted = declared === undefined && !request.route.multipart;
    done(null, isCounted ? countBody(request.raw, body) : payload);
  };
  const begin: preHandlerHookHandler = ({ heldBody }, _, done) => {
    heldBody?.begin('handler');
    done();
  };
  const end: onSendHookHandler = ({ heldBody }, _, payload, done) => {
    heldBody?.end('handler');
    done(null, payload);
  };
  fastify.addHook('onRoute', (route) => {
    if ([route.method].flat().every((method) => BODILESS.has(method))) return;
    route.preParsing = [route.preParsing ?? [], hold].flat();
    route.preHandler = [begin, route.preHandler ?? []].flat();
    route.onSend = [route.onSend ?? [], end].flat();
  });
}

/** Shares by what a request is admitted for: strangers, and services of the platform, hold back nothing of the customers. */
function divideMemory(config: AppConfig): (request: FastifyRequest) => BodyOwner {
  const known = new HeldShares({ perOwner: 8 * MIB, inAll: 64 * MIB });
  const services = new HeldShares({ perOwner: 8 * MIB, inAll: 16 * MIB });
  const strangers = new HeldShares({ perOwner: 2 * MIB, inAll: 8 * MIB });
  return (request) => {
    const { caller, service } = request;
    if (caller) return { shares: known, id: caller.accountId, whose: 'of your account' };
    if (service) return { shares: services, id: service.id, whose: 'of this service' };
    const network = networkOf(clientOf(request, config));
    const { access } = request.route;
    // With a key, there is a caller: without one, a socket has not said yet who its client is.
    const shares = access === 'public' || isForKeys(access) ? strangers : known;
    return { shares, id: network, whose: `from ${network}` };
  };
}

function largestOf({ route, routeOptions }: FastifyRequest): number {
  return route.multipart && route.access !== 'public' ? MAX_FILE_BYTES : routeOptions.bodyLimit;
}
