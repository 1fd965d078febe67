import type { SearchHit } from '@app/database/search/search.repository';
import { checkString, withSchema, type Check } from '@app/domain/common/field-checks';
import { SECRET_PATTERN } from '@app/domain/keys/secret-text';
import { CheckedField } from '../http/fields';
import type { Found } from './search.service';

const checkText = checkString({ min: 2, max: 200 });

/** A text to search for in an address, which is written to logs on its way: never a whole secret. */
const checkSearch: Check = withSchema(checkText.schema!, (value) => {
  const malformed = checkText(typeof value === 'string' ? value.trim() : value);
  if (malformed.length > 0 || !SECRET_PATTERN.test(String(value))) return malformed;
  const msg =
    'Input should be a name, an id, an address or the last four characters of a secret. This is a whole secret: rotate the key';
  return [{ type: 'secret_in_address', msg, input: null }];
});

export class SearchQuery {
  /** A part of a name, an id, an address, the last four characters of a secret, or the id of a request. */
  @CheckedField(checkSearch)
  q: string;
}

export interface SearchResponse extends ReturnType<typeof toSearchResponse> {}

export function toSearchResponse({ hits, nearest }: Found) {
  return {
    items: hits.map(toSearchHitResponse),
    /** Whether nothing matches, and `items` are the accounts, keys and voices with the nearest names. */
    nearest,
  };
}

export interface SearchHitResponse extends ReturnType<typeof toSearchHitResponse> {}

function toSearchHitResponse({ accountId, accountName, keyId, voiceId, ...hit }: SearchHit) {
  return {
    kind: hit.kind,
    /** Of what was found; of a request, its request id; of an address, the key it was used or is allowed with. */
    id: hit.id,
    name: hit.name,
    /** The last four of a key, the e-mail address of a person, the address of a client. */
    detail: hit.detail,
    status: hit.status,
    account: accountId === null ? null : { id: accountId, name: accountName },
    key_id: keyId,
    voice_id: voiceId,
    /** What a request cost, what came back of it, or of a refused one, what it would have cost where that was known. */
    credits: hit.credits,
    /** How long a request took that was let in, to the last byte of its response. */
    duration_ms: hit.durationMs,
    /** What the event of the audit log was done to. */
    target_id: hit.targetId ?? null,
    at: hit.at.toISOString(),
  };
}
