import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireBodyKind } from './content-type';

const FORM = 'application/x-www-form-urlencoded';

/**
 * Lets the routes for services take forms, as RFC 7662 has them. A field that is repeated becomes a list, which is then
 * refused where one value is wanted.
 */
export function acceptForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'string' }, async (request: FastifyRequest, body: string) => {
    requireBodyKind(request, FORM);
    return parseForm(body);
  });
}

function parseForm(text: string): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : [before, value].flat());
  }
  // Would reach a prototype.
  fields.delete('__proto__');
  return Object.fromEntries(fields);
}
