import {
  keepPreviousData,
  queryOptions,
  type QueryKey,
  MutationCache,
  QueryCache,
  QueryClient,
  type FetchQueryOptions,
  useSuspenseQuery,
} from '@tanstack/react-query';
import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from '@api/schema';
import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { reportOutcome } from './availability';
import { ApiProblem, ChangeWaits } from './problem';
import { fetchWithSession } from './session-gate';
import { drawFor } from './request-marks';

export type Schema = components['schemas'];

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<Lowercase<M>, { responses: unknown }> ? Path : never;
}[keyof paths];

type Operation<M extends Method, Path extends keyof paths> =
  paths[Path] extends Record<Lowercase<M>, infer O> ? O : never;

type InPath<O> = O extends { parameters: { path: infer P } } ? P : unknown;
type InQuery<O> = O extends { parameters: { query?: infer Q } }
  ? [Q] extends [undefined]
    ? unknown
    : Q
  : unknown;

/** What stands in the path and the query, by name; for a path with one name, its value is enough. */
type Params<Path, O> = (InPath<O> & InQuery<O>) | (Path extends Several ? never : InPath<O>[keyof InPath<O>]);
type Several = `${string}{${string}{${string}`;

type Json<Content> = Content extends { content: { 'application/json': infer J } } ? J : undefined;

/** What a change that waits for a second person responds, in place of its result. */
type Waiting = Schema['WaitingChangeResponse'];

type Success<O> = O extends { responses: infer R }
  ? Exclude<Json<R[keyof R & (200 | 201 | 202 | 204)]>, Waiting>
  : never;

/** After the parameters: the body of a change, and what it is based on, where the api requires its version. */
export type Arguments<M extends Method, Path extends keyof paths, O = Operation<M, Path>> = O extends {
  requestBody: { content: { 'application/json': infer B } };
}
  ? O extends { parameters: { header: { 'If-Match': string } } }
    ? [params: Params<Path, O>, body: B, basedOn: { version: number }]
    : [params: Params<Path, O>, body: B]
  : object extends Params<Path, O>
    ? [params?: Params<Path, O>, options?: { signal: AbortSignal }]
    : [params: Params<Path, O>, options?: { signal: AbortSignal }];

/** Of requests whose outcome is not known, by method, address and body. */
const unsettled = new Map<string, string>();
const identities = new WeakMap<Request, string>();

/** Browsers have `crypto.randomUUID` on encrypted pages only. */
const randomKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

/**
 * Sends every creation with an `Idempotency-Key`: the same one for the same request until a response says what became of it, so that
 * "Try again" after a lost connection creates nothing twice.
 */
const idempotencyKeys: Middleware = {
  async onRequest({ request }) {
    if (request.method !== 'POST') return;
    const identity = `${request.url} ${await request.clone().text()}`;
    const key = unsettled.get(identity) ?? randomKey();
    unsettled.set(identity, key);
    identities.set(request, identity);
    request.headers.set('Idempotency-Key', key);
  },
  onResponse({ request, response }) {
    if (response.status < 500) unsettled.delete(identities.get(request) ?? '');
  },
};

/** The client of the staff API, for the requests that need more than `api` gives. */
export const client = createClient<paths>({ baseUrl: location.origin, fetch: fetchWithSession });
client.use(idempotencyKeys);

/**
 * The staff API, typed by the OpenAPI document (`scripts/console-types.mjs` generates the types from it): a method takes a path, its
 * parameters, the body, and what the change is based on, whose version goes with it. Returns the body of the response.
 *
 * @throws ApiProblem for everything but success, ChangeWaits for a change that waits for a second person
 */
export const api = {
  GET: sendBy('GET'),
  POST: sendBy('POST'),
  PUT: sendBy('PUT'),
  PATCH: sendBy('PATCH'),
  DELETE: sendBy('DELETE'),
};

function sendBy<M extends Method>(method: M) {
  const send = client[method] as (path: string, init: object) => Promise<ClientResponse<unknown>>;
  return <const Path extends PathWith<M>>(path: Path, ...args: Arguments<M, Path>) => {
    const [params, ...rest] = args as [params?: Named | string, ...unknown[]];
    const [body, basedOn] = rest as [body?: unknown, basedOn?: { version: number }];
    const header = basedOn && { 'If-Match': `"v${basedOn.version}"` };
    const init = method === 'GET' ? (body as object) : { body };
    const call = send(path, { params: { ...placed(path, params), header }, ...init });
    return unwrap(call) as Promise<Success<Operation<M, Path>>>;
  };
}

type Named = Record<string, unknown>;

/** The parameters that the path names stand in it, the others in the query. */
function placed(template: string, params: Named | string = {}) {
  const path = typeof params === 'object' ? params : { [template.split(/[{}]/)[1]!]: params };
  const others = Object.entries(path).filter(([name]) => !template.includes(`{${name}}`));
  return { path, query: Object.fromEntries(others) };
}

/** A path whose operations are those of another, with the same bodies, so that one call serves both. */
export const likePath = <Path extends keyof paths>(_other: Path, path: keyof paths): Path => path as Path;

interface ClientResponse<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

const staffNames = new Map<string, string>();

/** What a member of staff is called today, by their address; one whom no response has named, by the address. */
export const staffName = (address: string): string => staffNames.get(address) ?? address;

/** Remembers the names that a response has beside addresses. */
export function withNames<T>(body: T): T {
  const { staff_names: names = {} } = (body ?? {}) as { staff_names?: Record<string, string> };
  for (const [address, name] of Object.entries(names)) staffNames.set(address, name);
  return body;
}

export async function unwrap<T>(call: Promise<ClientResponse<T>>): Promise<T> {
  const response = await call.catch(() => null);
  reportOutcome(response?.response.status ?? 0);
  if (response === null) throw new ApiProblem(0, null);
  if (!response.response.ok) throw new ApiProblem(response.response.status, response.error);
  if (isWaiting(response.data)) throw new ChangeWaits();
  return withNames(response.data as T);
}

const isWaiting = (data: unknown): data is Waiting =>
  typeof data === 'object' && data !== null && 'approval' in data;

/** A query of what a path of the staff API returns, under a key that changes are announced by. */
export function read<const Path extends PathWith<'GET'>>(
  queryKey: QueryKey,
  path: Path,
  ...params: Arguments<'GET', Path>
) {
  return queryOptions({ queryKey, queryFn: () => api.GET(path, ...params) });
}

/** The same of a list, or of one with other filters: what was read before stays until it is there. */
export function readPage<const Path extends PathWith<'GET'>>(
  queryKey: QueryKey,
  path: Path,
  ...params: Arguments<'GET', Path>
) {
  return {
    ...read(queryKey, path, ...params),
    placeholderData: keepPreviousData<Success<Operation<'GET', Path>>>,
  };
}

const TRIES = 2;

/** What was read is shown at once and read again when it is older than this. */
const FRESH_MS = 5_000;
/** As long as a session idles: what was opened before is drawn from memory. */
const REMEMBERED_MS = 30 * 60_000;

export const ME_KEY = ['me'];

/** What the member may do has changed if the console offered something that the server refuses: their role is read again. */
function readMeAgain(error: unknown): void {
  if (error instanceof ApiProblem && error.status === 403) void refresh(ME_KEY);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: readMeAgain }),
  mutationCache: new MutationCache({ onError: readMeAgain }),
  defaultOptions: {
    // A browser may report no network although the server is reachable: send the request anyway.
    queries: {
      networkMode: 'always',
      staleTime: FRESH_MS,
      gcTime: REMEMBERED_MS,
      retry: (tries, error) => error instanceof ApiProblem && error.isPassing && tries < TRIES,
      retryDelay: 800,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** Draws a change before the server has it; returns what reverts it. */
export function assume<T>(queryKey: QueryKey, change: Partial<T>): () => void {
  // What was requested before would take it away.
  void queryClient.cancelQueries({ queryKey });
  const before = queryClient.getQueryData<T>(queryKey);
  queryClient.setQueryData<T>(queryKey, (shown) => shown && { ...shown, ...change });
  return () => queryClient.setQueryData(queryKey, before);
}

/** Reads again what is shown under keys that begin so. */
export const refresh = (...keys: QueryKey[]) =>
  Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));

export interface Place {
  params: Record<string, string | undefined>;
  search: Record<string, string | undefined>;
}

/** What a screen reads first. Its file exports it, so that it is read while the reader still points at a link to it. */
export type FirstQueries = (place: Place) => { queryKey: QueryKey; queryFn?: unknown }[];

export function readFirst({ firstQueries }: { firstQueries?: FirstQueries }, place: Place): void {
  for (const query of firstQueries?.(place) ?? []) void queryClient.prefetchQuery(query as FetchQueryOptions);
}

export type Me = Schema['MeResponse'];

export const meQuery = queryOptions({
  queryKey: ME_KEY,
  queryFn: async () => {
    const me = await api.GET('/admin/me');
    drawFor(me.id);
    return me;
  },
  staleTime: 60_000,
});

export function clearPerson(): void {
  queryClient.clear();
  drawFor(null);
}

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

/** Whether the signed-in person may do this. The server decides; this only hides what it would refuse. */
export function useMay(): (permission: StaffPermission) => boolean {
  const { permissions } = useMe();
  return (permission) => (permissions as string[]).includes(permission);
}
