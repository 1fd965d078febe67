import { DomainError } from '@app/domain/errors';
import type { FastifyInstance } from 'fastify';
import { requireBodyKind } from './content-type';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body's bytes are needed besides its content, for a signature over them. */
    keepsBody?: boolean;
  }
  interface FastifyRequest {
    /** Set on routes that keep the body. */
    bodyBytes?: Buffer;
  }
}

/** Deeper bodies than any operation has; refused before anything walks them. */
const MAX_DEPTH = 32;

/** As character codes: a text's characters would be texts of their own. */
const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [...'"\\{}[]'].map(
  (character) => character.charCodeAt(0),
);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Accepts JSON bodies, and no others. Refuses bytes that are not UTF-8, nesting deeper than any operation
 * has, and keys that would reach a prototype.
 */
export function acceptJsonBodies(fastify: FastifyInstance): void {
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  fastify.decorateRequest('bodyBytes', undefined);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      if (request.route.keepsBody) request.bodyBytes = body;
      requireBodyKind(request, 'application/json');
      const text = decode(body);
      if (text.trim() === '') return done(null, undefined);
      refuseDeepNesting(text);
      void parseJson(request, text, (error: Error | null, value: unknown) =>
        error ? done(malformed(error.message)) : done(null, value),
      );
    } catch (error) {
      done(error as Error);
    }
  });
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw malformed('its bytes are not UTF-8');
  }
}

function malformed(reason: string): DomainError {
  return new DomainError('malformed_json', { reason });
}

function refuseDeepNesting(text: string): void {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (inString) {
      if (character === BACKSLASH) index += 1;
      else if (character === QUOTE) inString = false;
    } else if (character === QUOTE) inString = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) depth += 1;
    else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth -= 1;
    if (depth > MAX_DEPTH) throw malformed(`it is nested deeper than ${MAX_DEPTH} levels`);
  }
}
