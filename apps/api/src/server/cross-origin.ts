import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPublicPath } from '../http/public-path';
import { headerLines } from './api-response';

/** Every response header that the description of the API names: a page may read no others. */
const EXPOSED = [
  'accept-ranges',
  'allow',
  'cache-control',
  'character-cost',
  'content-range',
  'current-concurrent-requests',
  'etag',
  'generated_voice_id',
  'generated_voice_ids',
  'history-item-id',
  'last-modified',
  'maximum-concurrent-requests',
  'ratelimit',
  'ratelimit-policy',
  'request-id',
  'retry-after',
  'www-authenticate',
  'x-request-id',
  'x-synthetic-audio',
  'x-unspoken-characters',
  'x-voice-engine',
  'x-words-without-effect',
].join(', ');

/** Without credentials: a browser sends neither cookies nor other credentials then. */
const ANY_ORIGIN = { 'access-control-allow-origin': '*' };
const READABLE = headerLines({ ...ANY_ORIGIN, 'access-control-expose-headers': EXPOSED });
const PREFLIGHT = {
  ...ANY_ORIGIN,
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'POST, PATCH, OPTIONS, DELETE, GET, PUT',
  'access-control-max-age': '600',
};

/** Lets pages of any origin read every response of the public API. */
export function allowAnyOrigin({ url, headers }: FastifyRequest, { raw }: FastifyReply): void {
  if (headers.origin !== undefined && isPublicPath(url)) raw.checkedLines += READABLE;
}

/** Responds to the browser's preflight; whether the request was one. */
export function sendPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
  if (!isPreflight(request) || !isPublicPath(request.url)) return false;
  void reply.headers(PREFLIGHT).send();
  return true;
}

/** A browser that asks first (Fetch, 3.3.2). */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  const requested = headers['access-control-request-method'];
  return method === 'OPTIONS' && headers.origin !== undefined && requested !== undefined;
}
