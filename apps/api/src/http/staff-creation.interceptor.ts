import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants';
import { ModuleRef } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { readIdempotencyKey } from './idempotency';
import { StaffCreations } from './staff-creations';

/** Headers that a handler sets. */
const STORED_HEADERS = ['etag', 'location', 'cache-control'];

/** Whether a handler of staff creates something: a POST that responds 201. `isStaffCreation` of the API's description is the same. */
function isCreation(method: string, handler: object): boolean {
  return method === 'POST' && !Reflect.hasMetadata(HTTP_CODE_METADATA, handler);
}

/** Returns the first response to a repeated creation with the same `Idempotency-Key`. On every route of staff. */
@Injectable()
export class StaffCreationInterceptor implements NestInterceptor {
  constructor(private readonly modules: ModuleRef) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!request.staff || !isCreation(request.method, context.getHandler())) return next.handle();
    const key = readIdempotencyKey(request);
    if (key === null) return next.handle();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return from(this.perform(request, reply, key, () => lastValueFrom(next.handle())));
  }

  private async perform(
    { staff, method, url, body }: FastifyRequest,
    reply: FastifyReply,
    key: string,
    create: () => Promise<unknown>,
  ): Promise<unknown> {
    const creations = this.modules.get(StaffCreations, { strict: false });
    const earlier = await creations.claim(staff!.id, key, { method, url, body });
    if (earlier) {
      void reply.status(earlier.status).headers(earlier.headers);
      return earlier.body;
    }
    const created = await create().catch(async (refusal: unknown) => {
      await creations.release(staff!.id, key);
      throw refusal;
    });
    await creations.store(staff!.id, key, {
      status: reply.statusCode,
      headers: headersOf(reply),
      body: created,
    });
    return created;
  }
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const set = STORED_HEADERS.filter((name) => reply.hasHeader(name));
  return Object.fromEntries(set.map((name) => [name, String(reply.getHeader(name))]));
}
