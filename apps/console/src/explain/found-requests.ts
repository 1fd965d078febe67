import type { Schema } from '../api/client';
import type { RequestFields } from './request-form';

type Hit = Schema['SearchHitResponse'];

/** Where a request that was charged was sent to, as long as nothing else says so. */
const OPERATIONS: Record<string, Partial<RequestFields>> = {
  text_to_voice_design: { method: 'POST', path: '/v1/text-to-voice/design' },
  text_to_voice_remix: { method: 'POST', path: '/v1/text-to-voice/{voice_id}/remix' },
  text_to_speech: { method: 'POST', path: '/v1/text-to-speech/{voice_id}' },
};

/** Requests that can be explained: of keys that were found, or as they were sent. All that is recorded of a request is one. */
export function foundRequests(
  hits: readonly Hit[],
  fields: Partial<RequestFields>,
): { hit: Hit; search: Record<string, string> }[] {
  const requests = new Set<string>();
  return hits.toSorted(chargesFirst).flatMap((hit): ReturnType<typeof foundRequests> => {
    if (hit.kind === 'program') return [{ hit, search: { credential: hit.id, ...fields } }];
    if (hit.key_id === null || (hit.kind !== 'key' && hit.kind !== 'request')) return [];
    if (hit.kind === 'key') return [{ hit, search: { key: hit.key_id, ...fields } }];
    const one = `${hit.key_id} ${hit.id}`;
    if (requests.has(one)) return [];
    requests.add(one);
    const sent = hits.find(
      ({ key_id, id, duration_ms }) => `${key_id} ${id}` === one && duration_ms !== null,
    );
    const request = { ...asSent(hit), ...(sent && asSent(sent)) };
    return [{ hit, search: { key: hit.key_id, request: hit.id, ...request, ...fields } }];
  });
}

/** What a request was charged is what it cost; a hold may be more. */
function chargesFirst(a: Hit, b: Hit): number {
  const rank = ({ status }: Hit) => (status === 'charge' ? 0 : 1);
  return rank(a) - rank(b);
}

function asSent({ name, detail, credits }: Hit): Partial<RequestFields> {
  if (credits !== null) return { ...OPERATIONS[name], cost: String(credits) };
  const [method = '', path = ''] = name.split(' ');
  return { method, path, ...(detail !== null && { address: detail }) };
}
