import type { AppConfig } from '@app/config/app-config';
import { DomainError } from '@app/domain/errors';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { MAX_FILE_BYTES } from '../http/upload';
import { HeldBytes, RETRY_AFTER_SECS } from './held-bytes';

/** Fastify reads no body of these. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Smaller bodies are not counted: as many as there may be connections hold less than the bound. */
const SMALL_BYTES = 16 * 1024;
const BOUNDS = { perNetwork: 8 * 1024 * 1024, inAll: 64 * 1024 * 1024 };
/** Of requests that are read before a credential has been looked at: they hold back nothing of the others. */
const STRANGERS = { perNetwork: 2 * 1024 * 1024, inAll: 8 * 1024 * 1024 };

/**
 * Bounds the memory that request bodies hold together, from before the first byte is read until the response is sent. A
 * body that does not declare its length counts as the largest that its route accepts; of a form with files no more than one
 * file is held. Must run before routes are registered.
 */
export function boundLargeBodies(fastify: FastifyInstance, config: AppConfig): void {
  const known = new HeldBytes(config, BOUNDS);
  const strangers = new HeldBytes(config, STRANGERS);
  const hold: preParsingHookHandler = (request, reply, payload, done) => {
    const bytes = lengthOf(request);
    const bodies = request.route.access === 'public' ? strangers : known;
    const tooMuch = bytes > SMALL_BYTES ? bodies.hold(reply, bytes) : null;
    if (tooMuch)
      throw new DomainError('too_many_large_bodies', { ...tooMuch }, { retryAfterSecs: RETRY_AFTER_SECS });
    done(null, payload);
  };
  fastify.addHook('onRoute', (route) => {
    if (![route.method].flat().every((method) => BODILESS.has(method)))
      route.preParsing = [route.preParsing ?? [], hold].flat();
  });
}

function lengthOf(request: FastifyRequest): number {
  const { 'content-length': declared, 'transfer-encoding': encoding } = request.headers;
  if (declared === undefined && encoding === undefined) return 0;
  // Reading `routeOptions` makes an object each time, so only for a request with a body.
  const { access, multipart } = request.route;
  const largest = multipart && access !== 'public' ? MAX_FILE_BYTES : request.routeOptions.bodyLimit;
  return declared === undefined ? largest : Math.min(Number(declared), largest);
}
