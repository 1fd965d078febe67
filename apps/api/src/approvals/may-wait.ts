import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { WaitingChangeInterceptor } from './waiting-change.interceptor';

export const MAY_WAIT = 'greenroom:may-wait';

/** A route whose change may wait for a second person: it then responds 202, with what waits. */
export const MayWait = (): MethodDecorator =>
  applyDecorators(SetMetadata(MAY_WAIT, true), UseInterceptors(WaitingChangeInterceptor));
