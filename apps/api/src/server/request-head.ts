import { DomainError } from '@app/domain/errors';
import type { FastifyRequest } from 'fastify';

/** More than browsers, programs and a chain of proxies send together. */
const MAX_HEADERS = 100;

/**
 * The refusal of a request with more than `MAX_HEADERS` headers, or more than one Host. Node would leave out headers beyond a
 * number without a word, and with them what a proxy has added at the end; of several hosts it would take the first, where a
 * proxy may take the last (RFC 9112, 3.2).
 */
export function refuseAmbiguousHead({ raw: { rawHeaders } }: FastifyRequest): DomainError | undefined {
  const count = rawHeaders.length / 2;
  if (count > MAX_HEADERS) return new DomainError('too_many_headers', { count, limit: MAX_HEADERS });
  const hosts = countHosts(rawHeaders);
  if (hosts <= 1) return undefined;
  return new DomainError('bad_request', { reason: `The request has ${hosts} Host headers; give one.` });
}

/** @param headers names and values in turn */
function countHosts(headers: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
