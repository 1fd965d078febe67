import type { FastifyInstance } from 'fastify';

const texts = new WeakMap<object, string>();

/** An answer that is the same for everybody and never changes: its JSON is written once, not for each request. */
export function constantAnswer<T extends object>(answer: T): Readonly<T> {
  texts.set(answer, JSON.stringify(answer));
  return Object.freeze(answer);
}

/** Must run before routes are registered. */
export function writeConstantAnswersOnce(fastify: FastifyInstance): void {
  fastify.setReplySerializer((answer: unknown) => texts.get(answer as object) ?? JSON.stringify(answer));
}
