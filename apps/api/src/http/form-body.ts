import { DomainError } from '@app/domain/errors';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';

const FORM = 'application/x-www-form-urlencoded';

/** The content types that a route takes. */
export function acceptedTypes({ access }: Pick<FastifyContextConfig, 'access'>): string[] {
  return access === 'service' ? ['application/json', FORM] : ['application/json'];
}

/**
 * Lets the routes for services take forms, as RFC 7662 has them, and no others: a page of any other site can send a form.
 * A field that is repeated becomes a list, which is then refused where one value is wanted.
 */
export function acceptForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'string' }, (request, body: string, done) => {
    const { config } = request.routeOptions;
    if (config.access === 'service') done(null, parseForm(body));
    else
      done(
        new DomainError('invalid_content_type', {
          given: FORM,
          accepted: acceptedTypes(config).join(' or '),
        }),
      );
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
