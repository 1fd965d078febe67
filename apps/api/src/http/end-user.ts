import { canonicalText } from '@app/domain/common/canonical-text';
import { checkExternalId } from '@app/domain/common/tags';
import type { FastifyRequest } from 'fastify';
import { invalid } from './wire-problem';

declare module 'fastify' {
  interface FastifyRequest {
    /** Which user of the customer it is for; null when it names none. Set on routes that generate. */
    endUser?: string | null;
  }
}

export const END_USER_HEADER = 'x-end-user';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads which user of the customer a request is for, by the customer's id for them, in UTF-8.
 *
 * @throws ValidationProblem
 */
export function takeEndUser(request: FastifyRequest): void {
  const input = request.headers[END_USER_HEADER];
  request.endUser = input === undefined ? null : readEndUser(String(input), request.raw.rawHeaders);
}

function readEndUser(input: string, rawHeaders: readonly string[]): string {
  // Node joins several into one.
  const sent = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === END_USER_HEADER);
  if (sent.length > 1) throw refuse('multiple_values', 'Input should be given once', input);
  const text = decode(input);
  const [finding] = checkExternalId(text);
  if (finding) throw refuse(finding.type, finding.msg, text, finding.ctx);
  return text;
}

/** Node reads each byte of a header as one character. */
function decode(input: string): string {
  try {
    return canonicalText(utf8.decode(Buffer.from(input, 'latin1')));
  } catch {
    throw refuse('string_unicode', 'Input should be UTF-8', input);
  }
}

function refuse(type: string, msg: string, input: string, ctx?: Record<string, unknown>) {
  return invalid('header', { type, path: [END_USER_HEADER], msg, input, ...(ctx && { ctx }) });
}
