import { hookRoutes, isForKeys, type Admission } from '@app/auth/route-hooks';
import { DomainError } from '@app/domain/errors';
import { toError, type CountedUse } from '@app/gates/gate';
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
      isForKeys(config?.access) ? { admit: (request, reply) => this.count(request, reply) } : undefined,
    );
  }

  private count({ caller }: FastifyRequest, reply: FastifyReply): ReturnType<Admission> {
    if (!caller) return undefined;
    const use: CountedUse = { key: caller, counted: true, requests: null };
    const refusal = count(use, this.stores);
    if (!(refusal instanceof Promise)) return settle(reply, use, refusal);
    return refusal.then((known) => settle(reply, use, known));
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
  return refusal ? toError(refusal) : undefined;
}

/** Says what is left (draft-ietf-httpapi-ratelimit-headers-11). */
function describeLimit({ raw }: FastifyReply, { limit, remaining, endsInMs }: RequestVerdict): void {
  raw.checkedLines +=
    `ratelimit-policy: "key";q=${limit};w=60\r\n` +
    `ratelimit: "key";r=${remaining};t=${Math.ceil(endsInMs / 1_000)}\r\n`;
}
