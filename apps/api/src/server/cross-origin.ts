import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The CORS headers of the public API. Without credentials: a browser sends neither cookies nor anything else by itself. */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'POST, PATCH, OPTIONS, DELETE, GET, PUT',
  'access-control-max-age': '600',
};

/** Only the public API may be called by pages of other origins. */
const isPublicPath = (url: string) => url.startsWith('/v1/') || url.startsWith('/v2/');

/** Lets pages of any origin read the response of the public API, whatever it is. */
export function allowAnyOrigin({ url }: FastifyRequest, reply: FastifyReply): void {
  if (isPublicPath(url)) void reply.headers(ANY_ORIGIN);
}

/** Does that for every request, and responds to the browser's preflight. */
export function answerPreflights(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    allowAnyOrigin(request, reply);
    const { method, headers, url } = request;
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (isPreflight && isPublicPath(url)) void reply.status(200).send();
    else done();
  });
}
