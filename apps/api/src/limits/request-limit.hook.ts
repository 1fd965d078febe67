import { hookRoutes, isForKeys } from '@app/auth/route-hooks';
import { DomainError } from '@app/domain/errors';
import type { CountedUse } from '@app/gates/gate';
import { GateStores } from '@app/gates/gate-stores';
import { ARRIVAL, pass } from '@app/gates/gates';
import type { RequestVerdict } from '@app/limits/request-limiter';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Takes requests whose key is verified through the gates that count them. */
@Injectable()
export class RequestLimitHook {
  constructor(private readonly stores: GateStores) {}

  /** Must run after the hook of keys and before routes are registered. */
  protect(fastify: FastifyInstance): void {
    hookRoutes(fastify, ({ config }) =>
      isForKeys(config?.access)
        ? { onRequest: (request, reply, done) => this.count(request, reply, done) }
        : undefined,
    );
    // After the last request and before the connections to the store are closed.
    fastify.addHook('onClose', () => this.stores.requests.stop());
  }

  private count({ caller }: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    if (!caller) return done();
    const use: CountedUse = { key: caller, counted: true, requests: null };
    const refusal = count(use, this.stores);
    if (!(refusal instanceof Promise)) return done(settle(reply, use, refusal));
    refusal.then((known) => done(settle(reply, use, known)), done);
  }
}

function count(use: CountedUse, stores: GateStores) {
  return pass(ARRIVAL.counted, use, stores);
}

function settle(
  reply: FastifyReply,
  { requests }: CountedUse,
  refusal: Awaited<ReturnType<typeof count>>,
): DomainError | undefined {
  if (requests) describeLimit(reply, requests);
  return refusal ? new DomainError(refusal.code, refusal.params, refusal.options) : undefined;
}

/** Says what is left (draft-ietf-httpapi-ratelimit-headers-11). */
function describeLimit(reply: FastifyReply, { limit, remaining, endsInMs }: RequestVerdict): void {
  void reply
    .header('ratelimit-policy', `"key";q=${limit};w=60`)
    .header('ratelimit', `"key";r=${remaining};t=${Math.ceil(endsInMs / 1_000)}`);
}
