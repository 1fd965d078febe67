import type { Permission } from '@app/domain/keys/permissions';
import { applyDecorators, UsePipes } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig } from 'fastify';
import type { RouteAccess } from './route-table';
import { IGNORING_UNKNOWN_FIELDS } from './validation.pipe';

const wireRoute = (access: RouteAccess, config: FastifyContextConfig = {}): MethodDecorator =>
  applyDecorators(RouteConfig({ ...config, access }), UsePipes(IGNORING_UNKNOWN_FIELDS));

/**
 * Who may call a route: a key with this permission. Every route declares its access, or the api does not start. For
 * a route that generates speech there is `RequireGeneration`.
 */
export const RequireScope = (
  permission: Permission,
  config: Pick<FastifyContextConfig, 'multipart' | 'generates' | 'isAdmittedLater'> = {},
): MethodDecorator => wireRoute(permission, config);

/** Who may call a route: every key, with any permissions. */
export const RequireAnyKey = (): MethodDecorator => wireRoute('any_key');

/**
 * Who may call a route: the platform's own services, with a credential that staff have issued; in `credentialHeader`, where
 * `Authorization` may be a customer's.
 */
export const RequireServiceCredential = (
  config: Pick<FastifyContextConfig, 'credentialHeader'> = {},
): MethodDecorator => wireRoute('service', config);

/** A route that needs no credential. */
export const PublicRoute = (): MethodDecorator => wireRoute('public');

/** A route that needs no credential but a signature over the body, which its service checks. */
export const SignedRoute = (): MethodDecorator => wireRoute('public', { keepsBody: true });

/** A route that needs no credential and takes a form, as a page or a mail program sends it. */
export const PublicFormRoute = (): MethodDecorator => wireRoute('public', { multipart: true });
