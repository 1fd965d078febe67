import { toError, type GenerationUse } from '@app/gates/gate';
import { GateStores } from '@app/gates/gate-stores';
import { OPERATION, pass } from '@app/gates/gates';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { takeEndUser } from '../http/end-user';

/** Reads the end user of requests that generate, takes them through the gates of generations, and releases the slot when they end. */
@Injectable()
export class GenerationInterceptor implements NestInterceptor {
  constructor(private readonly stores: GateStores) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { id, caller: key, routeOptions } = request;
    if (!key) throw new Error(`${routeOptions.url} generates but declares no scope.`);
    takeEndUser(request);
    const use: GenerationUse = { key, requestId: id, generates: true, generation: null };
    const refusal = await pass(OPERATION.generating, use, this.stores);
    try {
      if (use.generation) {
        const reply = http.getResponse<FastifyReply>();
        void reply
          .header('current-concurrent-requests', use.generation.running)
          .header('maximum-concurrent-requests', use.generation.limit);
      }
      if (refusal) throw toError(refusal);
      return of(await lastValueFrom<unknown, undefined>(next.handle(), { defaultValue: undefined }));
    } finally {
      // Before the response: a client that has it may generate again.
      await this.stores.slots.freeAll(use.generation?.slots);
    }
  }
}
