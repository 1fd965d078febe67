import { clientOf } from '@app/auth/client-of';
import { FailedCredentials } from '@app/auth/failed-credentials';
import { ScimService } from '@app/administration/staff/scim.service';
import { AppConfig } from '@app/config/app-config';
import { ScimRepository, type ScimGroup, type ScimUser } from '@app/database/staff/scim.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { DomainError } from '@app/domain/errors';
import { digestSecret } from '@app/domain/keys/api-key-secret';
import {
  readScimFilter,
  readScimNumber,
  readScimPatch,
  readScimResource,
} from '@app/domain/staff/scim-input';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { SCIM_MEDIA_TYPE, SCIM_PATH } from '../http/scim-error';
import { findUnstorableText } from '../http/unstorable-text';
import * as resources from './scim-resources';

type Request = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>;
type Found = ScimUser | ScimGroup | null;

const BEARER = /^Bearer +([^ ]+) *$/i;

/**
 * SCIM 2.0 (RFC 7644) for the identity provider, where SCIM_TOKEN is set. Its resources describe themselves, and are not in the
 * description of the API.
 */
export function serveScim(app: NestFastifyApplication): void {
  const { scimToken } = app.get(AppConfig);
  if (scimToken === undefined) return;
  const scim = app.get(ScimService);
  const fastify = app.getHttpAdapter().getInstance();
  const onRequest = admitting(app, digestSecret(scimToken));

  const serve = (method: string, path: string, handle: (request: Request) => Promise<object | null | void>) =>
    fastify.route<{ Params: { id: string }; Querystring: Record<string, unknown> }>({
      method,
      url: SCIM_PATH + path,
      config: { access: 'identity_provider' },
      onRequest,
      handler: async (request, reply) => {
        const problems = findUnstorableText([request.body, request.query]);
        if (problems.length > 0) throw new InvalidInput(problems);
        const body = await handle(request);
        if (!body) return reply.status(204).send();
        return reply
          .status(method === 'POST' ? 201 : 200)
          .type(SCIM_MEDIA_TYPE)
          .send(JSON.stringify(body));
      },
    });
  const serveOne = (method: string, path: string, handle: (request: Request) => Promise<Found>) =>
    serve(method, path, async (request) => {
      const found = await handle(request);
      return found && resources.toScimResource(found, request.ownOrigin + SCIM_PATH);
    });

  serve('GET', '/ServiceProviderConfig', async () => resources.SERVICE_PROVIDER_CONFIG);
  serve('GET', '/Schemas', async () => resources.toScimList(resources.SCHEMAS));
  serve('GET', '/ResourceTypes', async () => resources.toScimList(resources.RESOURCE_TYPES));
  for (const kind of ['user', 'group'] as const) {
    const path = kind === 'user' ? '/Users' : '/Groups';
    serve('GET', path, async (request) => list(app, kind, request));
    serveOne('GET', `${path}/:id`, async ({ params }) => scim.get(kind, params.id));
  }
  serveOne('POST', '/Users', async ({ body }) => scim.createUser(readScimResource(body)));
  serveOne('PUT', '/Users/:id', async ({ params, body }) => scim.editUser(params.id, readScimResource(body)));
  serveOne('PATCH', '/Users/:id', async ({ params, body }) => scim.editUser(params.id, readScimPatch(body)));
  serve('DELETE', '/Users/:id', async ({ params }) => scim.deleteUser(params.id));
  serveOne('POST', '/Groups', async ({ body }) => scim.setGroup(null, () => readScimResource(body)));
  serveOne('PUT', '/Groups/:id', async ({ params, body }) =>
    scim.setGroup(params.id, () => readScimResource(body)),
  );
  serveOne('PATCH', '/Groups/:id', async ({ params, body }) =>
    scim.setGroup(params.id, (members) => readScimPatch(body, members)),
  );
  serveOne('DELETE', '/Groups/:id', async ({ params }) => scim.setGroup(params.id, () => null));
}

/** Before the body is read. */
function admitting(app: NestFastifyApplication, digest: string) {
  const [config, failures] = [app.get(AppConfig), app.get(FailedCredentials)];
  return async (request: FastifyRequest): Promise<void> => {
    const address = clientOf(request, config);
    const tooMany = failures.refusal(address);
    if (tooMany) throw tooMany;
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (digestSecret(token) === digest) return;
    failures.note(address);
    throw new DomainError('invalid_scim_token');
  };
}

/** RFC 7644, 3.4.2: `filter`, `startIndex` and `count`. */
async function list(app: NestFastifyApplication, kind: 'user' | 'group', { query, ownOrigin }: Request) {
  const name = kind === 'user' ? 'userName' : 'displayName';
  const [by, value] = query.filter === undefined ? [] : readScimFilter(query.filter, [name, 'externalId']);
  const first = Math.max(1, readScimNumber('startIndex', query.startIndex, 1));
  const most = Math.max(0, readScimNumber('count', query.count, resources.MAX_SCIM_RESULTS));
  const filter = value === undefined ? null : ({ by: by === name ? 'name' : 'externalId', value } as const);
  // Addresses are stored in lower case.
  const found = filter && by === 'userName' ? { ...filter, value: value!.toLowerCase() } : filter;
  const page = { offset: first - 1, limit: Math.min(resources.MAX_SCIM_RESULTS, most) };
  const { rows, total } = await app.get(ScimRepository).list(kind, found, page);
  const items = rows.map((row) => resources.toScimResource(row, ownOrigin + SCIM_PATH));
  return resources.toScimList(items, total, first);
}
