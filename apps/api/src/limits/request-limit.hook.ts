import { hookRoutes, isForKeys } from '@app/auth/route-hooks';
import { DomainError, type ErrorParams } from '@app/domain/errors';
import { RequestLimiter, type RequestVerdict } from '@app/limits/request-limiter';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Limits how many requests a key makes per minute, whatever they are. Only requests that the key's gates let in count. */
@Injectable()
export class RequestLimitHook {
  constructor(private readonly limiter: RequestLimiter) {}

  /** Must run after the hook of keys and before routes are registered. */
  protect(fastify: FastifyInstance): void {
    hookRoutes(fastify, ({ config }) =>
      isForKeys(config?.access)
        ? { onRequest: (request, reply, done) => this.count(request, reply, done) }
        : undefined,
    );
    // After the last request and before the connections to the store are closed.
    fastify.addHook('onClose', () => this.limiter.stop());
  }

  private count({ caller }: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    if (!caller) return done();
    const verdict = this.limiter.take(caller.requestLimit);
    if (!(verdict instanceof Promise)) return done(settle(reply, verdict));
    verdict.then((known) => done(settle(reply, known)), done);
  }
}

/** Says what is left (draft-ietf-httpapi-ratelimit-headers-11), and refuses when nothing is. */
function settle(reply: FastifyReply, verdict: RequestVerdict | null): DomainError | undefined {
  if (verdict === null) return undefined;
  const { passed, limit, remaining, endsInMs } = verdict;
  const secs = Math.ceil(endsInMs / 1_000);
  void reply
    .header('ratelimit-policy', `"key";q=${limit};w=60`)
    .header('ratelimit', `"key";r=${remaining};t=${secs}`);
  if (passed) return undefined;
  const { params, retryAfterSecs } = limitReached(verdict);
  return new DomainError('rate_limit_exceeded', params, { retryAfterSecs });
}

/** What the refusal of a request says that is one too many. */
export function limitReached({ limit, endsInMs }: RequestVerdict): {
  params: ErrorParams;
  retryAfterSecs: number;
} {
  const params = { limit: `: this key may make ${limit} per minute` };
  return { params, retryAfterSecs: Math.max(1, Math.ceil(endsInMs / 1_000)) };
}
