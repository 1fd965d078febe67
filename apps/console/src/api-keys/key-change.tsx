import {
  KEY_FIELD_NAMES,
  keyField,
  type KeyFieldName,
  type WireKeySettings,
} from '@app/domain/keys/key-fields';
import type { Schema } from '../api/client';
import type { After } from '../components/after-change';
import type { Described } from '../components/changed-fields';
import { Time } from '../components/inline';

type Detail = Schema['ApiKeyDetailResponse'];

export interface KeyDone extends After {
  text: string;
  saved: Detail & { secret?: string };
}

export interface KeyDialogProps {
  apiKey: Detail;
  begin?: string;
  onDone: (done: KeyDone) => void;
  onClose: () => void;
}

/** When and from where, to within a minute. */
export function LastUse({ at, from }: { at: string | null; from: string | null }) {
  return (
    <>
      <Time at={at} relative />
      {from && <span className="gr-mono"> from {from}</span>}
    </>
  );
}

type ApiKey = Omit<Schema['ListedApiKeyResponse'], 'days_in_use'>;

export const settingsOf = ({ credits, ...key }: ApiKey): WireKeySettings =>
  ({ ...key, credit_limit: credits.limit }) as WireKeySettings;

export function settingText(name: KeyFieldName, value: WireKeySettings[KeyFieldName]): string {
  if (value === null || value === 'all' || value.toString() === '') return keyField(name).none;
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

export function describeKey(key: ApiKey): Described {
  const settings = settingsOf(key);
  return [
    ['status', key.status],
    ...KEY_FIELD_NAMES.map((name): [string, string] => [
      keyField(name).label.toLowerCase(),
      settingText(name, settings[name]),
    ]),
  ];
}
