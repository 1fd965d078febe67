import type { ApiKeyView } from '@app/database/keys/api-key-view';
import { namesWhere, type KeyFieldName, type WireKeySettings } from '@app/domain/keys/key-fields';
import { toWire } from '@app/domain/keys/key-settings';
import { toCsvLine, type CsvValue } from '../http/csv';
import { toApiKeyResponse, type ApiKeyResponse } from './staff-api-key.dto';

const EXPORTED = namesWhere((field) => field.exported);

/** What a key has beside its settings. */
const COLUMNS: Record<string, (key: ApiKeyResponse) => CsvValue> = {
  id: (key) => key.id,
  account_id: (key) => key.account.id,
  account: (key) => key.account.name,
  tier: (key) => key.account.tier,
  service_account_id: (key) => key.service_account_id,
  hint: (key) => key.hint,
  status: (key) => key.status,
  effective_status: (key) => key.effective_status,
  disable_reason: (key) => key.disable_reason,
  disabled_at: (key) => key.disabled_at,
  credits_used: (key) => key.credits.used,
  credits_granted: (key) => key.credits.granted,
  credits_left: (key) => key.credits.remaining,
  last_used_at: (key) => key.last_used_at,
  last_used_from: (key) => key.last_used_from,
  created_at: (key) => key.created_at,
};

/** Keys as CSV with a header, line by line. */
export async function* toCsv(keys: AsyncIterable<ApiKeyView>): AsyncGenerator<string> {
  // The mark at the beginning makes spreadsheets read UTF-8.
  yield `\ufeff${toCsvLine([...Object.keys(COLUMNS), ...EXPORTED])}`;
  for await (const key of keys) {
    const [response, settings] = [toApiKeyResponse(key), toWire(key)];
    yield toCsvLine([
      ...Object.values(COLUMNS).map((valueOf) => valueOf(response)),
      ...EXPORTED.map((name) => toCell(settings[name])),
    ]);
  }
}

function toCell(value: WireKeySettings[KeyFieldName] | undefined): CsvValue {
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'boolean' ? String(value) : (value ?? null);
}
