import type { Permission } from '@app/domain/keys/permissions';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
  RouteOptions,
} from 'fastify';

/** Decides whether a request is admitted: undefined if it is, else why not. A promise only where something must be read. */
export type Admission = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Error | undefined | Promise<Error | undefined>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request is admitted without a credential, because its route calls `admitLater` once it has one. */
    isAdmittedLater?: (request: FastifyRequest) => boolean;
    /** Of a route with `isAdmittedLater`. */
    admitLater?: Admission;
  }
}

/** What runs around the handler of a route. */
export interface RouteHooks {
  /** Runs before the body is read. Those of a route run in one hook, in the order in which they were added. */
  admit?: Admission;
  preHandler?: preHandlerHookHandler;
  onSend?: onSendHookHandler;
}

/**
 * Gives each route the hooks that its declaration needs, after those of all routes; a request pays for no others. Must
 * run before routes are registered.
 *
 * @param hooksOf the hooks of a route with this method, path and `config`; undefined for none
 */
export function hookRoutes(
  fastify: FastifyInstance,
  hooksOf: (route: RouteOptions) => RouteHooks | undefined,
): void {
  fastify.addHook('onRoute', (route) => {
    const { admit, preHandler, onSend } = hooksOf(route) ?? {};
    if (admit) addAdmission(route, admit);
    if (preHandler) route.preHandler = [route.preHandler ?? [], preHandler].flat();
    if (onSend) route.onSend = [route.onSend ?? [], onSend].flat();
  });
}

const admissions = new WeakMap<RouteOptions, Admission[]>();

function addAdmission(route: RouteOptions, admit: Admission): void {
  const known = admissions.get(route);
  if (known) return void known.push(admit);
  const steps = [admit];
  admissions.set(route, steps);
  route.onRequest = [route.onRequest ?? [], admitNowOrLater(route, steps)].flat();
}

/** A route that says which of its requests are admitted later gets what admits them. */
function admitNowOrLater(route: RouteOptions, steps: readonly Admission[]): onRequestHookHandler {
  const admit = inOnePass(steps);
  const { config } = route;
  if (!config?.isAdmittedLater) return admit;
  const { isAdmittedLater } = config;
  config.admitLater = (request, reply) => runAfter(Promise.resolve(undefined), steps, request, reply);
  return function (request, reply, done) {
    if (isAdmittedLater(request)) done();
    else admit.call(this, request, reply, done);
  };
}

/** Takes a request through all steps at once: a hook for each would cost a request more than most steps do. */
function inOnePass(steps: readonly Admission[]): onRequestHookHandler {
  return (request, reply, done) => {
    for (let step = 0; step < steps.length; step += 1) {
      const refusal = steps[step]!(request, reply);
      if (refusal instanceof Promise) {
        runAfter(refusal, steps.slice(step + 1), request, reply).then(done, done);
        return;
      }
      if (refusal) return done(refusal);
    }
    done();
  };
}

async function runAfter(
  pending: Promise<Error | undefined>,
  steps: readonly Admission[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Error | undefined> {
  let refusal = await pending;
  for (const step of steps) refusal ??= await step(request, reply);
  return refusal;
}

/** Whether a route is for customers: with a key that has this permission, or with any key. */
export function isForKeys(access: FastifyContextConfig['access']): access is Permission | 'any_key' {
  return typeof access === 'string' && !['public', 'service', 'identity_provider'].includes(access);
}
