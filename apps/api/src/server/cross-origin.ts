import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isPublicPath } from '../http/public-path';

/** As the public API answers. Without credentials: a browser sends neither cookies nor anything else by itself. */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'POST, PATCH, OPTIONS, DELETE, GET, PUT',
  'access-control-max-age': '600',
};

/** Lets pages of any origin read the answer of the public API, whatever it is. */
export function allowAnyOrigin({ url }: FastifyRequest, reply: FastifyReply): void {
  if (isPublicPath(url)) void reply.headers(ANY_ORIGIN);
}

/** Does that for every request, and answers the browser that asks whether it may send one. */
export function answerPreflights(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    allowAnyOrigin(request, reply);
    const { method, headers, url } = request;
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (isPreflight && isPublicPath(url)) void reply.status(200).send();
    else done();
  });
}
