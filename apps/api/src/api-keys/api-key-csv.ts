import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { toCsvLine, type CsvValue } from '../http/csv';
import { toApiKeyResponse, type ApiKeyResponse } from './staff-api-key.dto';

const COLUMNS: Record<string, (key: ApiKeyResponse) => CsvValue> = {
  id: (key) => key.id,
  account_id: (key) => key.account.id,
  account: (key) => key.account.name,
  tier: (key) => key.account.tier,
  service_account_id: (key) => key.service_account_id,
  name: (key) => key.name,
  tags: (key) => key.tags.join(' '),
  external_id: (key) => key.external_id,
  hint: (key) => key.hint,
  status: (key) => key.status,
  effective_status: (key) => key.effective_status,
  disable_reason: (key) => key.disable_reason,
  disabled_at: (key) => key.disabled_at,
  permissions: (key) => [key.permissions].flat().join(' '),
  allowed_ips: (key) => key.allowed_ips?.join(' ') ?? null,
  credits_used: (key) => key.credits.used,
  credit_limit: (key) => key.credits.limit,
  credits_granted: (key) => key.credits.granted,
  credits_left: (key) => key.credits.remaining,
  requests_per_minute: (key) => key.requests_per_minute,
  expires_at: (key) => key.expires_at,
  last_used_at: (key) => key.last_used_at,
  last_used_from: (key) => key.last_used_from,
  created_at: (key) => key.created_at,
};

/** Keys as CSV with a header, line by line. */
export async function* toCsv(keys: AsyncIterable<ApiKeyView>): AsyncGenerator<string> {
  // The mark at the beginning makes spreadsheets read UTF-8.
  yield `\ufeff${toCsvLine(Object.keys(COLUMNS))}`;
  for await (const key of keys) {
    const response = toApiKeyResponse(key);
    yield toCsvLine(Object.values(COLUMNS).map((valueOf) => valueOf(response)));
  }
}
