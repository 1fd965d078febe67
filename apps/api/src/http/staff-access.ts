import type { Staff, Visitor } from '@app/domain/staff/staff';
import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import {
  applyDecorators,
  createParamDecorator,
  UseInterceptors,
  UsePipes,
  type ExecutionContext,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { EtagInterceptor } from './etag';
import type { RouteAccess } from './route-table';
import { StaffCreationInterceptor } from './staff-creation.interceptor';
import { StaffNamesInterceptor } from './staff-names.interceptor';
import { REFUSING_UNKNOWN_FIELDS } from './validation.pipe';

declare module 'fastify' {
  interface FastifyRequest {
    /** The member of staff who calls; set on every route under /admin that needs a session. */
    staff?: Staff;
    /** Set on every route under /admin. */
    visitor?: Visitor;
  }
}

const staffRoute = (access: RouteAccess): MethodDecorator =>
  applyDecorators(
    RouteConfig({ access }),
    UsePipes(REFUSING_UNKNOWN_FIELDS),
    UseInterceptors(StaffNamesInterceptor, StaffCreationInterceptor, EtagInterceptor),
  );

/**
 * Who may call a route under /admin: members of staff whose role may do this; with `confirmed`, those who have proved within
 * the last minutes who they are.
 */
export const RequireStaff = (
  permission: StaffPermission,
  { confirmed = false }: { confirmed?: boolean } = {},
): MethodDecorator => staffRoute({ staff: permission, confirmed });

/** A route under /admin that every member of staff may call. */
export const RequireSession = ({ confirmed = false }: { confirmed?: boolean } = {}): MethodDecorator =>
  staffRoute({ staff: 'signed_in', confirmed });

/**
 * The same, also for a member who must first choose a password, use a passkey, or set up a second factor. Nothing but what
 * is needed for that; `anything`: all that is missing.
 */
export const RequireSessionBefore = (
  setup: 'anything' | 'password' | 'passkey' | 'second_factor',
  { confirmed = false }: { confirmed?: boolean } = {},
): MethodDecorator => staffRoute({ staff: 'signed_in', before: setup, confirmed });

/** The member of staff who calls. */
export const CurrentStaff = createParamDecorator((_: unknown, context: ExecutionContext) => staffOf(context));

/** @throws Error on a route that declares no staff access */
export function staffOf(context: ExecutionContext): Staff {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  if (!request.staff)
    throw new Error(`${request.routeOptions.url} needs staff but declares no staff access.`);
  return request.staff;
}

/** Who calls a route that needs no session. */
export const CurrentVisitor = createParamDecorator((_: unknown, context: ExecutionContext): Visitor => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  if (!request.visitor) throw new Error(`${request.routeOptions.url} is not under /admin.`);
  return request.visitor;
});
