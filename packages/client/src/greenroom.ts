import createClient, { type MaybeOptionalInit, type ParseAs } from 'openapi-fetch';
import { randomUUID } from 'node:crypto';
import { GreenroomError } from './greenroom-error.ts';
import {
  toIntrospected,
  toQuery,
  toQueryOfBatch,
  type BatchItem,
  type Introspected,
  type IntrospectOptions,
} from './introspection.ts';
import { fetchWithRetries, markRepeatable, type RetryOptions } from './retries.ts';
import type { components, paths } from './schema.js';

/** Schemas of the API's description, by name. */
export type Schema = components['schemas'];

/** The operations of the staff API. */
type AdminPaths = { [Path in keyof paths as Path extends `/admin/${string}` ? Path : never]: paths[Path] };
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathWith<M extends Method> = {
  [Path in keyof AdminPaths]: AdminPaths[Path] extends Record<M, { responses: unknown }> ? Path : never;
}[keyof AdminPaths];

/** May be left out where nothing in it is required. */
type InitParam<Init> = undefined extends Init ? [init?: Init] : [init: Init];

type Waiting = Schema['WaitingChangeResponse'];
type ContentOf<Response> = Response extends { content: infer Content } ? Content[keyof Content] : undefined;
type Succeeded<Operation> = Operation extends { responses: infer Responses }
  ? ContentOf<Responses[keyof Responses & (200 | 201 | 202 | 204)]>
  : never;
interface Parsed {
  text: string;
  blob: Blob;
  arrayBuffer: ArrayBuffer;
  stream: ReadableStream<Uint8Array> | null;
}
/** The body of a successful response, as `parseAs` wants it; a change that waits is an error. */
type Result<Operation, Init> = Init extends { parseAs: infer As extends Exclude<ParseAs, 'json'> }
  ? Parsed[As]
  : Exclude<Succeeded<Operation>, Waiting>;
type Call<M extends Method> = <Path extends PathWith<M>, Init extends MaybeOptionalInit<AdminPaths[Path], M>>(
  path: Path,
  ...init: InitParam<Init>
) => Promise<Result<AdminPaths[Path][M], Init>>;

/** Lists that come in pages. */
type PagedPath = {
  [Path in PathWith<'get'>]: PageOf<Path> extends never ? never : Path;
}[PathWith<'get'>];
type PageOf<Path extends keyof AdminPaths> = AdminPaths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Page } } } };
}
  ? Page extends { items: unknown[]; next_cursor: string | null }
    ? Page
    : never
  : never;

/** Paths whose creations the server performs once for each `Idempotency-Key`. */
type CreationPath = {
  [Path in PathWith<'post'>]: AdminPaths[Path] extends {
    post: { parameters: { header?: infer Headers } };
  }
    ? Required<NonNullable<Headers>> extends { 'Idempotency-Key': string }
      ? [NonNullable<Headers>] extends [never]
        ? never
        : Path
      : never
    : never;
}[PathWith<'post'>];
const CREATIONS: Record<CreationPath, true> = {
  '/admin/accounts': true,
  '/admin/accounts/{account_id}/alert-rules': true,
  '/admin/accounts/{account_id}/api-keys': true,
  '/admin/accounts/{account_id}/budgets': true,
  '/admin/accounts/{account_id}/contacts': true,
  '/admin/accounts/{account_id}/webhooks': true,
  '/admin/alert-rules': true,
  '/admin/contacts': true,
  '/admin/management-credentials': true,
  '/admin/me/passkeys': true,
  '/admin/review-desk': true,
  '/admin/screening/entries': true,
  '/admin/service-credentials': true,
  '/admin/staff': true,
  '/admin/voices/{voice_id}/appeal': true,
  '/admin/voices/{voice_id}/comments': true,
};

export interface GreenroomOptions extends RetryOptions {
  /** Where it is, for example `https://greenroom.example`. */
  url: string;
  /** A management credential (`grm_…`) for the staff API, or a service credential (`grs_…`) for introspection. */
  credential: string;
}

/** What may be sent beside the parameters and the body of an operation. */
type Send = (path: string, init: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** Greenroom, for programs. Every method throws `GreenroomError` for everything but success. */
export class Greenroom {
  private readonly client;

  constructor({ url, credential, ...retries }: GreenroomOptions) {
    this.client = createClient<paths>({
      baseUrl: new URL(url).href.replace(/\/$/, ''),
      headers: { authorization: `Bearer ${credential}` },
      fetch: fetchWithRetries(retries),
    });
    this.client.use({
      onRequest({ request: { method, headers }, schemaPath }) {
        if (method !== 'POST' || !(schemaPath in CREATIONS)) return;
        if (!headers.has('idempotency-key')) headers.set('idempotency-key', randomUUID());
        markRepeatable(headers);
      },
    });
    this.get = this.callOf('GET');
    this.post = this.callOf('POST');
    this.put = this.callOf('PUT');
    this.patch = this.callOf('PATCH');
    this.delete = this.callOf('DELETE');
  }

  readonly get: Call<'get'>;
  readonly post: Call<'post'>;
  readonly put: Call<'put'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;

  /** Every item of a list, page after page: `for await (const account of greenroom.list('/admin/accounts'))`. */
  async *list<Path extends PagedPath>(
    path: Path,
    ...[init]: InitParam<MaybeOptionalInit<AdminPaths[Path], 'get'>>
  ): AsyncGenerator<PageOf<Path>['items'][number], void, undefined> {
    const { params = {} } = (init ?? {}) as { params?: { query?: object } };
    let cursor: string | null | undefined;
    do {
      const query = { ...params.query, ...(cursor && { cursor }) };
      const page = await unwrap((this.client.GET as Send)(path, { ...init, params: { ...params, query } }));
      const { items, next_cursor } = page as {
        items: PageOf<Path>['items'][number][];
        next_cursor: string | null;
      };
      yield* items;
      cursor = next_cursor;
    } while (cursor);
  }

  /**
   * Whether a customer's request may be served; with `cost`, the credits are charged. It is charged once however often it is
   * sent: give `requestId` to be able to send it again yourself.
   *
   * @param key the secret of a key or a single-use token, as the customer has sent it
   */
  async introspect(key: string, options: IntrospectOptions = {}): Promise<Introspected> {
    const { body, isRepeatable } = toQuery(key, options);
    const headers = new Headers();
    if (isRepeatable) markRepeatable(headers);
    return toIntrospected(await unwrap(this.client.POST('/introspect', { body, headers })));
  }

  /** The same of 1 to 500 requests at once, in their order; an error is one item's, the others count. */
  async introspectAll(items: readonly BatchItem[]): Promise<(Introspected | GreenroomError)[]> {
    const { body, isRepeatable } = toQueryOfBatch(items);
    const headers = new Headers();
    if (isRepeatable) markRepeatable(headers);
    const entries = await unwrap(this.client.POST('/introspect/batch', { body, headers }));
    return entries.map((entry) => {
      if (entry.status === 200) return toIntrospected(entry.body as Parameters<typeof toIntrospected>[0]);
      const retryAfter = new Headers(
        entry.retry_after_secs === undefined ? {} : { 'retry-after': String(entry.retry_after_secs) },
      );
      return new GreenroomError(entry.status, retryAfter, entry.body);
    });
  }

  /** Charges what held work has really cost, and gives the rest back. */
  async capture(body: Schema['CaptureBody']): Promise<Schema['HoldResponse']> {
    return unwrap(this.client.POST('/introspect/capture', { body, headers: repeatable() }));
  }

  /** Gives all that was held back. */
  async release(body: Schema['ReleaseBody']): Promise<Schema['HoldResponse']> {
    return unwrap(this.client.POST('/introspect/release', { body, headers: repeatable() }));
  }

  private callOf<M extends Method>(method: Uppercase<M>): Call<M> {
    const send = this.client[method] as unknown as Send;
    return ((path: string, init: object = {}) => unwrap(send(path, init))) as unknown as Call<M>;
  }
}

/** The header of a change: what it is based on. */
export function ifMatch({ version }: { version: number }): { 'If-Match': string } {
  return { 'If-Match': `"v${version}"` };
}

/** Ending a hold twice has the effect of once. */
function repeatable(): Headers {
  const headers = new Headers();
  markRepeatable(headers);
  return headers;
}

async function unwrap<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  const isWaiting =
    response.status === 202 && typeof data === 'object' && data !== null && 'approval' in data;
  if (!response.ok || isWaiting)
    throw new GreenroomError(response.status, response.headers, isWaiting ? data : error);
  return data as T;
}
