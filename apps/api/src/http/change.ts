import { byStaff, type AuditActor } from '@app/administration/audit/audit-actors';
import type { ExpectedVersion } from '@app/domain/common/version';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';
import { versionIn } from './etag';
import { ReasonBody } from './reason';
import { staffOf } from './staff-access';
import { REFUSING_UNKNOWN_FIELDS } from './validation.pipe';

/** Who does something, and why. */
export interface ActionByStaff {
  actor: AuditActor;
  reason: string;
}

/** The same for a change of something that has a version. */
export interface ChangeByStaff extends ActionByStaff {
  expected: ExpectedVersion;
}

/** What staff do by a route. The body has the reason; where the handler declares none, it is a `ReasonBody`. */
export const Action = createParamDecorator((_: unknown, context: ExecutionContext): ActionByStaff => ({
  actor: byStaff(staffOf(context)),
  reason: reasonOf(context),
}));

/** What staff change by a route, and the version in If-Match that they have seen; 428 without one. */
export const Change = createParamDecorator((_: unknown, context: ExecutionContext): ChangeByStaff => ({
  actor: byStaff(staffOf(context)),
  expected: versionIn(context),
  reason: reasonOf(context),
}));

function reasonOf(context: ExecutionContext): string {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  const checked = REFUSING_UNKNOWN_FIELDS.transform(body, { type: 'body', metatype: bodyOf(context) });
  return (checked as ReasonBody).reason;
}

/** The DTO of a handler's body. */
function bodyOf(context: ExecutionContext): new () => object {
  const [controller, { name }] = [context.getClass(), context.getHandler()];
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as Record<string, object>;
  const body = Object.keys(parameters).find((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
  if (body === undefined) return ReasonBody;
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) as object[];
  return types[Number(body.split(':')[1])] as new () => object;
}
