import type { JsonSchema } from '../../libs/domain/common/json-schema';

export interface Header {
  description: string;
  schema: JsonSchema;
}

const text = (description: string): Header => ({ description, schema: { type: 'string' } });
const count = (description: string): Header => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Every response header that a route sets. */
const HEADERS: Record<string, Header> = {
  'accept-ranges': text('`bytes`: parts can be requested with `Range`.'),
  'cache-control': text('`no-store`: not to be kept. `no-cache`: to be revalidated with `If-None-Match`.'),
  'character-cost': count('Credits that the request has cost.'),
  'content-range': text('Which part this is, and of how many bytes.'),
  'current-concurrent-requests': count('Generations of the account that run, this one included.'),
  etag: text('Version of the object, for `If-Match` and `If-None-Match`.'),
  generated_voice_id: text('Id of the preview; of several, the first.'),
  generated_voice_ids: text('Ids of all previews, separated by commas.'),
  'history-item-id': text('The history item of what is spoken; absent when it is not stored.'),
  'last-modified': text('When it was stored.'),
  'maximum-concurrent-requests': count('Generations of the account that may run at the same time.'),
  ratelimit: text('Requests the key has left (`r`) and the seconds until it has all of them again (`t`).'),
  'ratelimit-policy': text('Requests the key may make (`q`) in so many seconds (`w`).'),
  'request-id': text('The same as `x-request-id`.'),
  'retry-after': count('Seconds after which to try again.'),
  'set-cookie': text('The session, or its end.'),
  'x-greenroom-account': text('The account of the key.'),
  'x-greenroom-credits-left': text('Credits that the key has left; `unlimited` when nothing limits them.'),
  'x-greenroom-key': text('The id of the key.'),
  'www-authenticate': text('Which credential is required.'),
  'x-unspoken-characters': text(
    'Characters of the text that the engine leaves out, as code points: `U+1F388`.',
  ),
  'x-words-without-effect': text(
    'Words of the description that mean nothing to the engine, as in an address.',
  ),
  'x-synthetic-audio': text(
    'That the audio is machine-made, by which installation, when, and its id. Of several previews, their ids. Absent for recordings, and where SYNTHETIC_AUDIO_MARKS is off.',
  ),
  'x-voice-engine': text('Which engine speaks, whatever model was requested.'),
  'x-request-id': text('Names the request in logs, in the ledger and in the audit log.'),
};

/** @throws Error for a header that is not described here */
export function headersOf(names: Iterable<string>): Record<string, Header> {
  return Object.fromEntries([...names].sort().map((name) => [name, headerOf(name)]));
}

function headerOf(name: string): Header {
  const header = HEADERS[name];
  if (!header) throw new Error(`The response header ${name} is not described in tools/openapi/headers.ts.`);
  return header;
}
