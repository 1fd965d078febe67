import type { FastifyInstance, FastifyRequest, preParsingHookHandler, RequestPayload } from 'fastify';
import { createGunzip } from 'node:zlib';
import { acceptedTypes } from '../http/content-type';
import { isPublicPath } from '../http/public-path';

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Reads bodies of the public API as its contract's own framework does: JSON that does not say so, and JSON that is packed. What
 * it unpacks to is bounded like any other body. Must run after the memory of bodies is bounded, and before routes are registered.
 */
export function acceptPackedBodies(fastify: FastifyInstance): void {
  const read: preParsingHookHandler = (request, _reply, payload, done) => {
    const { headers } = request;
    const { 'content-length': length, 'transfer-encoding': encoding } = headers;
    if (length !== undefined || encoding !== undefined) headers['content-type'] ??= 'application/json';
    done(null, isPacked(request) ? unpack(request, payload) : payload);
  };
  fastify.addHook('onRoute', (route) => {
    if (!isPublicPath(route.url) || [route.method].flat().every((method) => BODILESS.has(method))) return;
    const isJson = acceptedTypes(route.config ?? {}).includes('application/json');
    if (isJson) route.preParsing = [route.preParsing ?? [], read].flat();
  });
}

/** Whether a body arrives packed, where that is accepted. */
export function isPacked({ headers, url, route }: FastifyRequest): boolean {
  const isGzip = /^(x-)?gzip$/i.test(headers['content-encoding'] ?? '');
  return isGzip && isPublicPath(url) && !route.multipart;
}

function unpack({ headers }: FastifyRequest, payload: RequestPayload): RequestPayload {
  // From here on it is a plain body.
  delete headers['content-encoding'];
  const gunzip = createGunzip();
  // First to receive it, and still here when the reader of the body has refused it and stopped listening.
  gunzip.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith('Z_'))
      error.message = `The body is not what its Content-Encoding says, gzip: ${error.message}.`;
  });
  const unpacked = Object.assign(gunzip, { receivedEncodedLength: 0 });
  payload.on('data', (piece: Buffer) => (unpacked.receivedEncodedLength += piece.length));
  payload.once('error', (error) => unpacked.destroy(error));
  payload.once('close', () => {
    if (!payload.readableEnded) unpacked.destroy(new Error('The body has no end.'));
  });
  return payload.pipe(unpacked);
}
