import type { Permission } from '@app/domain/permissions';
import { RouteConfig } from '@nestjs/platform-fastify';

/** Who may call a route: a key with this permission. Every route declares its access, or the api does not start. */
export const RequireScope = (permission: Permission): MethodDecorator => RouteConfig({ access: permission });

/** A route that asks for no credential. */
export const PublicRoute = (): MethodDecorator => RouteConfig({ access: 'public' });
