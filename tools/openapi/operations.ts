import { RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import { MAY_WAIT } from '../../apps/api/src/approvals/may-wait';
import { MEDIA_TYPE, PAGES } from '../../apps/api/src/http/produces';
import type { RouteAccess } from '../../apps/api/src/http/route-table';
import { TOKEN_TYPES } from '../../libs/domain/keys/single-use-token';

/** A route as its decorators declare it. */
export interface Operation {
  controller: Type;
  handler: string;
  method: string;
  /** With placeholders as `{name}`. */
  path: string;
  access: RouteAccess;
  successStatus: number;
  /** Whether the body is a form instead of JSON. */
  multipart: boolean;
  /** Of a response that is not JSON. */
  mediaType: string | undefined;
  /** Whether it takes one of the account's slots while it runs. */
  generates: boolean;
  /** Whether a single-use token opens it. */
  takesToken: boolean;
  /** Of a route for services: the header with the credential, when it is not `Authorization`. */
  credentialHeader: string | undefined;
  /** Whether what it does may wait for a second person. */
  mayWait: boolean;
}

/** Whether staff create something by it: such a route takes an `Idempotency-Key`, see StaffCreationInterceptor. */
export function isStaffCreation({ access, method, successStatus }: Operation): boolean {
  return typeof access === 'object' && method === 'POST' && successStatus === 201;
}

interface RouteConfiguration {
  access: RouteAccess;
  multipart?: boolean;
  generates?: boolean;
  credentialHeader?: string;
}

/** Every route of the API of some controllers, in the order in which they are declared. */
export function listOperations(controllers: readonly Type[]): Operation[] {
  const ofTheApi = controllers.filter((controller) => !Reflect.hasMetadata(PAGES, controller));
  return ofTheApi.flatMap((controller) =>
    lineOf(controller.prototype as object)
      .flatMap((each) => Object.getOwnPropertyNames(each))
      .filter((handler) => metadataOf(controller, handler, METHOD_METADATA) !== undefined)
      .map((handler) => toOperation(controller, handler))
      // A description cannot say that a route serves every path below another.
      .filter(({ path }) => !path.endsWith('*')),
  );
}

function toOperation(controller: Type, handler: string): Operation {
  const read = (key: string) => metadataOf(controller, handler, key);
  const declared = RequestMethod[read(METHOD_METADATA) as RequestMethod];
  // A route for every method is described once.
  const method = declared === 'ALL' ? 'GET' : declared;
  const config = read(FASTIFY_ROUTE_CONFIG_METADATA) as RouteConfiguration;
  const { access, multipart = false, generates = false, credentialHeader } = config;
  const path = joinPaths(
    Reflect.getMetadata(PATH_METADATA, controller) as string,
    read(PATH_METADATA) as string,
  );
  return {
    controller,
    handler,
    method,
    path,
    access,
    credentialHeader,
    multipart,
    successStatus: (read(HTTP_CODE_METADATA) as number | undefined) ?? (method === 'POST' ? 201 : 200),
    mediaType: read(MEDIA_TYPE) as string | undefined,
    generates,
    mayWait: read(MAY_WAIT) === true,
    takesToken: Object.values(TOKEN_TYPES).some(({ routes }) =>
      routes.some((route) => route.replace(/:(\w+)/g, '{$1}') === `${method} ${path}`),
    ),
  };
}

function joinPaths(...parts: string[]): string {
  const trimmed = parts.map((part) => part.replace(/^\/+|\/+$/g, '')).filter(Boolean);
  return `/${trimmed.join('/')}`.replace(/:(\w+)/g, '{$1}');
}

function metadataOf({ prototype }: Type, handler: string, key: string): unknown {
  const owner = lineOf(prototype as object).find((each) => Object.hasOwn(each, handler)) ?? {};
  const { value } = Object.getOwnPropertyDescriptor(owner, handler) ?? {};
  return typeof value === 'function' ? Reflect.getMetadata(key, value as object) : undefined;
}

/** The prototype of a class and of each that it extends. */
function lineOf(prototype: object): object[] {
  if (prototype === Object.prototype) return [];
  return [prototype, ...lineOf(Object.getPrototypeOf(prototype) as object)];
}
