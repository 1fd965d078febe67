import type { Schema } from '../api/client';

type ApiKey = Schema['ApiKeyResponse'];

const FIELDS: [name: string, read: (key: ApiKey) => string][] = [
  ['name', ({ name }) => name],
  ['status', ({ status }) => status],
  ['permissions', ({ permissions }) => (permissions === 'all' ? 'everything' : permissions.join(', '))],
  ['credits a period', ({ credits }) => (credits.limit === null ? 'no limit' : String(credits.limit))],
  ['requests a minute', ({ requests_per_minute }) => String(requests_per_minute ?? 'from the tier')],
  ['expires', ({ expires_at }) => expires_at ?? 'never'],
  ['tags', ({ tags }) => tags.join(' ') || 'none'],
  ['external id', ({ external_id }) => external_id ?? 'none'],
  ['allow-list', ({ allowed_ips }) => allowed_ips?.join(', ') ?? 'none'],
];

/** What differs between two versions of a key, one sentence for each. */
export function describeChanges(before: ApiKey, after: ApiKey): string[] {
  return FIELDS.flatMap(([name, read]) =>
    read(before) === read(after) ? [] : [`${name}: was “${read(before)}”, is “${read(after)}”`],
  );
}
