import { DomainError } from '@app/domain/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireBodyKind } from '../http/content-type';
import { readJson } from '../http/json-text';

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

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Accepts JSON bodies, and no others. Refuses bytes that are not UTF-8, and what is larger or deeper than any operation takes. */
export function acceptJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  for (const kind of ['application/json', 'application/scim+json'] as const)
    fastify.addContentTypeParser(
      kind,
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => {
        if (request.route.keepsBody) request.bodyBytes = body;
        requireBodyKind(request, kind);
        const text = decode(body);
        return text.trim() === '' ? undefined : parse(text);
      },
    );
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw malformed('its bytes are not UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    throw malformed((error as SyntaxError).message);
  }
}

function malformed(reason: string): DomainError {
  return new DomainError('malformed_json', { reason });
}
