import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireBodyKind } from '../http/content-type';
import { malformedForm, MAX_FORM_FIELDS, toFields } from '../http/form-fields';

const FORM = 'application/x-www-form-urlencoded';

/**
 * Lets the routes for services take forms, as RFC 7662 has them, and those where the wire contract takes forms. A field that is repeated becomes a list, which is then
 * refused where one value is expected.
 */
export function acceptForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'string' }, async (request: FastifyRequest, body: string) => {
    requireBodyKind(request, FORM);
    if (body.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS)
      throw malformedForm(`it has more than ${MAX_FORM_FIELDS} fields`);
    return toFields(new URLSearchParams(body));
  });
}
