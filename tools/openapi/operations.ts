import { RequestMethod, type Type } from '@nestjs/common';
import {
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
} from '@nestjs/common/constants';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import { MEDIA_TYPE } from '../../apps/api/src/http/produces';
import { GenerationInterceptor } from '../../apps/api/src/limits/generation.interceptor';
import type { RouteAccess } from '../../apps/api/src/http/route-table';
import { TOKEN_TYPES } from '../../libs/domain/single-use-token';

/** A route as its decorators declare it. */
export interface Operation {
  controller: Type;
  handler: string;
  method: string;
  /** With placeholders as `{name}`. */
  path: string;
  access: RouteAccess;
  successStatus: number;
  /** Of an answer that is not JSON. */
  mediaType: string | undefined;
  /** Whether it takes one of the account's slots while it runs. */
  generates: boolean;
  /** Whether a single-use token opens it. */
  takesToken: boolean;
}

/** Every route of some controllers, in the order in which they are declared. */
export function listOperations(controllers: readonly Type[]): Operation[] {
  return controllers.flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype)
      .filter((handler) => metadataOf(controller, handler, METHOD_METADATA) !== undefined)
      .map((handler) => toOperation(controller, handler)),
  );
}

function toOperation(controller: Type, handler: string): Operation {
  const method = RequestMethod[metadataOf<RequestMethod>(controller, handler, METHOD_METADATA)!];
  const parts = [
    Reflect.getMetadata(PATH_METADATA, controller) as string,
    metadataOf<string>(controller, handler, PATH_METADATA)!,
  ];
  const { access } = metadataOf<{ access: RouteAccess }>(controller, handler, FASTIFY_ROUTE_CONFIG_METADATA)!;
  const path = `/${parts
    .map((part) => part.replace(/^\/+|\/+$/g, ''))
    .filter(Boolean)
    .join('/')}`;
  const interceptors = metadataOf<unknown[]>(controller, handler, INTERCEPTORS_METADATA) ?? [];
  return {
    controller,
    handler,
    method,
    path: path.replace(/:(\w+)/g, '{$1}'),
    access,
    successStatus: metadataOf(controller, handler, HTTP_CODE_METADATA) ?? (method === 'POST' ? 201 : 200),
    mediaType: metadataOf(controller, handler, MEDIA_TYPE),
    generates: interceptors.includes(GenerationInterceptor),
    takesToken: Object.values(TOKEN_TYPES).some(({ route }) => route === `${method} ${path}`),
  };
}

function metadataOf<T>({ prototype }: Type, handler: string, key: string): T | undefined {
  const { value } = Object.getOwnPropertyDescriptor(prototype, handler) ?? {};
  return typeof value === 'function' ? (Reflect.getMetadata(key, value as object) as T) : undefined;
}
