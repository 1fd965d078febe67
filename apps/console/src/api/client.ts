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
api.use(idempotencyKeys);

interface Answer<T> {
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
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<Exclude<T, Waiting>> {
  const answer = await call.catch(() => null);
  reportOutcome(answer?.response.status ?? 0);
  if (answer === null) throw new ApiProblem(0, null);
  if (!answer.response.ok) throw new ApiProblem(answer.response.status, answer.error);
  if (isWaiting(answer.data)) throw new ChangeWaits();
  return answer.data as Exclude<T, Waiting>;
}

function isWaiting(data: unknown): data is Waiting {
  return typeof data === 'object' && data !== null && 'approval' in data;
}

/** The header with the version that a change is based on. */
export function ifMatch({ version }: { version: number }): { 'If-Match': string } {
  return { 'If-Match': `"v${version}"` };
}
