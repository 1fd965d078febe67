import { keepPreviousData, queryOptions, type QueryKey } from '@tanstack/react-query';
import createClient from 'openapi-fetch';
import { ApiProblem, ChangeWaits } from './problem';
import { reportOutcome } from './availability';
import type { components, paths } from '@api/schema';
import { idempotencyKeys } from './idempotency-keys';
import { fetchWithSession } from './session-gate';

/** Schemas of the OpenAPI document, by name. */
export type Schema = components['schemas'];

/** The staff API, typed by the OpenAPI document: `scripts/console-types.mjs` generates the types from it. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetchWithSession });

/** A path whose operations are those of another, with the same bodies, so that one call serves both. */
export const likePath = <Path extends keyof paths>(_other: Path, path: keyof paths): Path => path as Path;
api.use(idempotencyKeys);

interface ClientResponse<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What a change that waits for a second person responds, in place of its result. */
type Waiting = Schema['WaitingChangeResponse'];

/**
 * The body of a successful response.
 *
 * @throws ApiProblem for everything but success, ChangeWaits for a change that waits for a second person
 */
export async function unwrap<T>(call: Promise<ClientResponse<T>>): Promise<Exclude<T, Waiting>> {
  const response = await call.catch(() => null);
  reportOutcome(response?.response.status ?? 0);
  if (response === null) throw new ApiProblem(0, null);
  if (!response.response.ok) throw new ApiProblem(response.response.status, response.error);
  if (isWaiting(response.data)) throw new ChangeWaits();
  return response.data as Exclude<T, Waiting>;
}

function isWaiting(data: unknown): data is Waiting {
  return typeof data === 'object' && data !== null && 'approval' in data;
}

/** The header with the version that a change is based on. */
export function ifMatch({ version }: { version: number }): { 'If-Match': string } {
  return { 'If-Match': `"v${version}"` };
}

type ReadPath = {
  [Path in keyof paths]: paths[Path] extends { get: { responses: unknown } } ? Path : never;
}[keyof paths];
type Operation<Path extends ReadPath> = paths[Path] extends { get: infer Get } ? Get : never;
type Params<Path extends ReadPath> = Operation<Path> extends { parameters: infer P } ? Partial<P> : never;
type Body<Path extends ReadPath> =
  Operation<Path> extends {
    responses: { 200: { content: { 'application/json': infer Json } } };
  }
    ? Json
    : never;

/** A query of what a path of the staff API returns, under a key that changes are announced by. */
export function read<const Path extends ReadPath>(queryKey: QueryKey, path: Path, params?: Params<Path>) {
  const call = api.GET as (path: string, init: object) => ReturnType<typeof api.GET>;
  return queryOptions({
    queryKey,
    queryFn: () => unwrap(call(path, { params: params ?? {} })) as Promise<Body<Path>>,
  });
}

/** The same of a list, or of one with other filters: what was read before stays until it is there. */
export function readPage<const Path extends ReadPath>(queryKey: QueryKey, path: Path, params?: Params<Path>) {
  return { ...read(queryKey, path, params), placeholderData: keepPreviousData<Body<Path>> };
}
