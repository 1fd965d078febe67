import { DomainError } from '@app/domain/errors';
import { GenerationSlots } from '@app/limits/generation-slots';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, of, type Observable } from 'rxjs';

/** About what a generation takes. */
const RETRY_AFTER_SECS = 2;

/** Lets an account run no more generations at the same time than its limit allows. */
@Injectable()
export class GenerationInterceptor implements NestInterceptor {
  constructor(private readonly slots: GenerationSlots) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const { id, caller, routeOptions } = http.getRequest<FastifyRequest>();
    if (!caller) throw new Error(`${routeOptions.url} generates but declares no scope.`);
    const { accountId, concurrencyLimit: limit } = caller;
    const slot = { id, accountId };
    const verdict = await this.slots.take(slot, limit);
    if (verdict === null) return next.handle();
    const reply = http.getResponse<FastifyReply>();
    void reply
      .header('current-concurrent-requests', verdict.running)
      .header('maximum-concurrent-requests', limit);
    if (!verdict.taken) {
      const params = { current: verdict.running, limit };
      throw new DomainError('concurrent_limit_exceeded', params, { retryAfterSecs: RETRY_AFTER_SECS });
    }
    try {
      return of(await lastValueFrom<unknown, undefined>(next.handle(), { defaultValue: undefined }));
    } finally {
      // Before the response: a client that has it may generate again.
      await this.slots.free(slot);
    }
  }
}
