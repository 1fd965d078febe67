import { DomainError } from '@app/domain/errors';
import type { FastifyReply } from 'fastify';

/** Aborts when the client closes its connection before it has the response. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const check = () => {
    if (!raw.writableFinished) gone.abort(new DomainError('client_gone'));
  };
  if (raw.destroyed) check();
  else raw.once('close', check);
  return gone.signal;
}
