import type { FastifyInstance } from 'fastify';

/** Longer texts are stored as bytes, which all responses share; a short one goes out faster together with its headers. */
const SHARED_FROM_LENGTH = 16 * 1024;

const texts = new WeakMap<object, string | Buffer>();

/** A response that is the same for every caller and never changes: its JSON is written once, not for each request. */
export function constantResponse<T extends object>(response: T): Readonly<T> {
  const text = JSON.stringify(response);
  texts.set(response, text.length < SHARED_FROM_LENGTH ? text : Buffer.from(text));
  return Object.freeze(response);
}

/** Must run before routes are registered. */
export function writeConstantResponsesOnce(fastify: FastifyInstance): void {
  // Fastify takes bytes as well as text, which its types do not say.
  fastify.setReplySerializer(
    (response: unknown) => (texts.get(response as object) as string | undefined) ?? JSON.stringify(response),
  );
}
