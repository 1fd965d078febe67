import type { Arrivals } from '@app/auth/arrivals';
import { otherCell } from '@app/auth/other-cell';
import { cellOfAccountId, cellOfVoiceId } from '@app/domain/common/cell';
import { isPublicId } from '@app/domain/common/public-id';
import { isUuid } from '@app/domain/common/uuid';
import type { DomainError } from '@app/domain/errors';
import { cellOfSecret } from '@app/domain/keys/api-key-secret';
import type { FastifyRequest } from 'fastify';
import { presentedTokens } from '../single-use-tokens/single-use-token.hook';

const PREVIEW = '/v1/voices/:voice_id/preview';

type Refusal = DomainError | undefined;

/**
 * Refuses a request with the key, the token or the `preview_url` of another cell (RFC 9110, 15.5.20), by its form and
 * before anything of it is queried: a proxy that does not know that cell has sent it here. Where accounts have arrived from other
 * cells, it may be one of theirs, and what reads it decides.
 */
export function refuseOtherCell(
  request: FastifyRequest,
  own: string,
  arrivals: Arrivals,
): Refusal | Promise<Refusal> {
  const refusal = refuseForm(request, own);
  if (!refusal) return undefined;
  const arrived = arrivals.any();
  if (typeof arrived === 'boolean') return arrived ? undefined : refusal;
  return arrived.then((any) => (any ? undefined : refusal));
}

function refuseForm(request: FastifyRequest, own: string): Refusal {
  const { 'xi-api-key': key } = request.headers;
  if (typeof key === 'string') return otherCell('API key', cellOfSecret(key), own);
  const [token] = presentedTokens(request);
  if (typeof token === 'string') return otherCell('single-use token', cellOfSecret(token), own);
  if (request.routeOptions.url !== PREVIEW) return undefined;
  return otherCell('voice', cellOfVoiceId((request.params as { voice_id: string }).voice_id), own);
}

/** What the paths of routes for staff name, and how its id says the cell. */
const NAMED = [
  { param: 'account_id', what: 'account', isId: isUuid, cellOf: cellOfAccountId },
  { param: 'key_id', what: 'API key', isId: isUuid, cellOf: cellOfAccountId },
  { param: 'voice_id', what: 'voice', isId: isPublicId, cellOf: cellOfVoiceId },
];

/**
 * The refusal of a request of staff about what is not here, when its id has the mark of another cell: lists over all cells
 * show it.
 */
export function otherCellOfPath(params: unknown, own: string): DomainError | undefined {
  for (const { param, what, isId, cellOf } of NAMED) {
    const id = (params as Record<string, string> | undefined)?.[param];
    if (id === undefined || !isId(id)) continue;
    const cell = cellOf(id);
    return otherCell(what, cell, own, ` In the console, open /console?cell=${cell} first.`);
  }
  return undefined;
}
