import { hookRoutes } from '@app/auth/route-hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseCoding, type Coding } from '../http/content-coding';
import { isStaffPath } from '../http/problem-json';

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

async function compress(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < COMPRESSED_FROM_LENGTH) return payload;
  if (!JSON_TYPE.test(String(reply.getHeader('content-type')))) return payload;
  void reply.header('vary', `${String(reply.getHeader('vary'))}, accept-encoding`);
  const accepted = [request.headers['accept-encoding'] ?? []].flat().join(',');
  const coding = chooseCoding(accepted);
  if (coding === null) return payload;
  void reply.removeHeader('content-length').header('content-encoding', coding);
  return encode(payload, coding);
}

function encode(text: string, coding: Coding): Promise<Buffer> {
  return coding === 'br' ? compressBrotli(text, BROTLI) : compressGzip(text);
}
