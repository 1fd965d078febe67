import type { Permission } from '@app/domain/permissions';
import { RouteConfig } from '@nestjs/platform-fastify';

/** Who may call a route: a key with this permission. Every route declares its access, or the api does not start. */
export const RequireScope = (permission: Permission): MethodDecorator => RouteConfig({ access: permission });

/** Who may call a route: every key, whatever its permissions. */
export const RequireAnyKey = (): MethodDecorator => RouteConfig({ access: 'any_key' });

/** A route that asks for no credential. */
export const PublicRoute = (): MethodDecorator => RouteConfig({ access: 'public' });
