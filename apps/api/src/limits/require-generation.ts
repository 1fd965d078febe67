import type { Permission } from '@app/domain/keys/permissions';
import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { RequireScope } from '../http/route-access';
import { GenerationInterceptor } from './generation.interceptor';

/** Who may call a route that generates speech: a key with this permission. It takes one of the account's slots while it runs. */
export const RequireGeneration = (permission: Permission): MethodDecorator =>
  applyDecorators(RequireScope(permission, { generates: true }), UseInterceptors(GenerationInterceptor));
