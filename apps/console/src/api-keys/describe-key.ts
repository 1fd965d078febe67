import type { Schema } from '../api/client';
import type { Described } from '../components/changed-fields';

type ApiKey = Schema['ApiKeyResponse'];

/** The settings of a key, as texts. */
export function describeKey(key: ApiKey): Described {
  return [
    ['name', key.name],
    ['status', key.status],
    ['permissions', key.permissions === 'all' ? 'everything' : key.permissions.join(', ')],
    ['credits a period', key.credits.limit === null ? 'no limit' : String(key.credits.limit)],
    ['requests a minute', String(key.requests_per_minute ?? 'from the tier')],
    ['expires', key.expires_at ?? 'never'],
    ['tags', key.tags.join(' ') || 'none'],
    ['external id', key.external_id ?? 'none'],
    ['allow-list', key.allowed_ips?.join(', ') ?? 'none'],
  ];
}
