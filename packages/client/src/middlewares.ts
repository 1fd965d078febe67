import type { Greenroom, Schema } from './greenroom.ts';
import { GreenroomError } from './greenroom-error.ts';
import { toRefusal, type Introspected, type IntrospectOptions, type Refusal } from './introspection.ts';

/** What an introspection of a request says beside its address: the same for all, or by the request. */
type OptionsOf<Request> = IntrospectOptions | ((request: Request) => IntrospectOptions);
type Key = Schema['ActiveResponse'];

const DEFAULT_RETRY_AFTER_SECS = 5;

interface ExpressRequest {
  headers: Record<string, string | string[] | undefined>;
  ip?: string;
  greenroom?: Key;
}

interface ExpressResponse {
  status: (status: number) => {
    set: (headers: Record<string, string>) => { json: (body: unknown) => unknown };
  };
}

/**
 * For Express: serves requests with a key of a customer, which is `request.greenroom` then, and responds to the others. The
 * address is `request.ip`: set `trust proxy` behind one.
 */
export function expressKey<Request extends ExpressRequest>(
  greenroom: Greenroom,
  options: OptionsOf<Request> = {},
): (request: Request, response: ExpressResponse, next: (error?: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      const { headers, ip } = request;
      const found = await admit(
        greenroom,
        credentialOf((name) => single(headers[name])),
        ip,
        options,
        request,
      );
      if ('status' in found) {
        response.status(found.status).set(found.headers).json(found.body);
        return;
      }
      request.greenroom = found;
    } catch (error) {
      // Express 4 does not wait for what a middleware returns.
      next(error);
      return;
    }
    next();
  };
}

interface FastifyRequest {
  headers: Record<string, string | string[] | undefined>;
  ip: string;
  greenroom?: Key;
}

interface FastifyReply {
  code: (status: number) => {
    headers: (headers: Record<string, string>) => { send: (body: unknown) => unknown };
  };
}

/**
 * For Fastify, as a hook `onRequest` or `preHandler`: as for Express. The address is `request.ip`: set `trustProxy` behind a proxy.
 */
export function fastifyKey<Request extends FastifyRequest>(
  greenroom: Greenroom,
  options: OptionsOf<Request> = {},
): (request: Request, reply: FastifyReply) => Promise<unknown> {
  return async (request, reply) => {
    const { headers, ip } = request;
    const found = await admit(
      greenroom,
      credentialOf((name) => single(headers[name])),
      ip,
      options,
      request,
    );
    if ('status' in found) return reply.code(found.status).headers(found.headers).send(found.body);
    request.greenroom = found;
    return undefined;
  };
}

interface HonoContext {
  req: { header: (name: string) => string | undefined };
  set: (name: string, value: unknown) => void;
}

/**
 * For Hono: as for Express; the key is `context.get('greenroom')`.
 *
 * @param addressOf where a request comes from, which depends on what Hono runs on: `(c) => getConnInfo(c).remote.address`
 */
export function honoKey<Context extends HonoContext>(
  greenroom: Greenroom,
  addressOf: (context: Context) => string | undefined,
  options: OptionsOf<Context> = {},
): (context: Context, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (context, next) => {
    const credential = credentialOf((name) => context.req.header(name));
    const found = await admit(greenroom, credential, addressOf(context), options, context);
    if ('status' in found) return Response.json(found.body, { status: found.status, headers: found.headers });
    context.set('greenroom', found);
    await next();
    return undefined;
  };
}

/** The key of a request that may be served, or what to respond: nothing passes while Greenroom does not respond. */
async function admit<Request>(
  greenroom: Greenroom,
  credential: string | undefined,
  address: string | undefined,
  options: OptionsOf<Request>,
  request: Request,
): Promise<Key | Refusal> {
  if (!credential) return toRefusal(401, 'missing_api_key', 'Send an API key in the header xi-api-key.');
  const query = { address, ...(typeof options === 'function' ? options(request) : options) };
  const found = await greenroom
    .introspect(credential, query)
    .catch((error: unknown): Introspected | Refusal => {
      if (!(error instanceof GreenroomError) || !isPassing(error)) throw error;
      const retryAfterSecs = error.retryAfterSecs ?? DEFAULT_RETRY_AFTER_SECS;
      return toRefusal(503, 'service_unavailable', 'Keys cannot be checked at present.', retryAfterSecs);
    });
  if ('status' in found) return found;
  return found.pass ? found.key : found.refusal;
}

/** Not what a person has to correct, such as a wrong credential: the framework's error handler gets that. */
function isPassing({ status }: GreenroomError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

function credentialOf(header: (name: string) => string | undefined): string | undefined {
  return header('xi-api-key') ?? /^Bearer +([^ ]+) *$/i.exec(header('authorization') ?? '')?.[1];
}

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
