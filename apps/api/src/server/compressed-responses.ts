import { hookRoutes } from '@app/auth/route-hooks';
import type { FastifyInstance, FastifyReply, onSendHookHandler } from 'fastify';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseCoding, type Coding } from '../http/content-coding';
import { isStaffPath } from '../http/problem-json';
import { VARY } from './response-headers';

/** Smaller ones gain nothing. */
const COMPRESSED_FROM_LENGTH = 1_000;
const JSON_TYPE = /^application\/(problem\+)?json\b/;
const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
/** Close to gzip in time and smaller; the best quality is for files that are compressed once. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/**
 * Compresses what staff read as JSON, for clients that accept it. Only responses to GET: a secret is only ever in the response to
 * a change, and its length must say nothing. Must run before routes are registered.
 */
export function compressStaffResponses(fastify: FastifyInstance): void {
  hookRoutes(fastify, ({ method, url }) =>
    method === 'GET' && isStaffPath(url) ? { onSend: compress } : undefined,
  );
}

const compress: onSendHookHandler = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || !isWorthIt(payload, reply)) return done(null, payload);
  void reply.header('vary', `${VARY}, accept-encoding`);
  const coding = chooseCoding([request.headers['accept-encoding'] ?? []].flat().join(','));
  if (coding === null) return done(null, payload);
  encode(payload, coding).then((bytes) => {
    void reply.removeHeader('content-length').header('content-encoding', coding);
    done(null, bytes);
  }, done);
};

function isWorthIt(text: string, reply: FastifyReply): boolean {
  return text.length >= COMPRESSED_FROM_LENGTH && JSON_TYPE.test(String(reply.getHeader('content-type')));
}

function encode(text: string, coding: Coding): Promise<Buffer> {
  return coding === 'br' ? compressBrotli(text, BROTLI) : compressGzip(text);
}
