import createClient from 'openapi-fetch';
import { ApiProblem } from './problem';
import { reportOutcome } from './availability';
import type { components, paths } from '@api/schema';
import { fetchWithSession } from './session-gate';

/** Schemas of the OpenAPI document, by name. */
export type Schema = components['schemas'];

/** The staff API, typed by the OpenAPI document: `scripts/console-types.mjs` generates the types from it. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetchWithSession });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * The body of a successful response.
 *
 * @throws ApiProblem for everything but success
 */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  const answer = await call.catch(() => null);
  reportOutcome(answer?.response.status ?? 0);
  if (answer === null) throw new ApiProblem(0, null);
  if (!answer.response.ok) throw new ApiProblem(answer.response.status, answer.error);
  return answer.data as T;
}

/** The header with the version that a change is based on. */
export function ifMatch({ version }: { version: number }): { 'If-Match': string } {
  return { 'If-Match': `"v${version}"` };
}
