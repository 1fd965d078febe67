import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { mergeMap, type Observable } from 'rxjs';
import { StaffNames } from './staff-names';

/** Adds `staff_names` to a response with addresses of members of staff. On every route of staff. */
@Injectable()
export class StaffNamesInterceptor implements NestInterceptor {
  constructor(private readonly modules: ModuleRef) {}

  intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
    const names = this.modules.get(StaffNames, { strict: false });
    return next.handle().pipe(
      mergeMap(async (body: unknown) => {
        const isObject = typeof body === 'object' && body !== null && body.constructor === Object;
        return isObject ? { ...body, ...(await names.of(body)) } : body;
      }),
    );
  }
}
