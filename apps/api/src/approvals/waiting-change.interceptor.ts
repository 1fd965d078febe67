import { ChangeWaits } from '@app/administration/approvals/approvals.service';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, of, type Observable } from 'rxjs';
import { toApprovalResponse, type WaitingChangeResponse } from './approval.dto';

/** Responds with what waits, where a change has to wait for a second person. */
@Injectable()
export class WaitingChangeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    return next.handle().pipe(
      catchError((error: unknown): Observable<WaitingChangeResponse> => {
        const { staff } = http.getRequest<FastifyRequest>();
        if (!(error instanceof ChangeWaits) || !staff) throw error;
        void http.getResponse<FastifyReply>().status(202);
        return of({ approval: toApprovalResponse(error.approval, staff) });
      }),
    );
  }
}
