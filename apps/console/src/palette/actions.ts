import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import type { Schema } from '../api/client';
import type { PaletteEntry } from './entries';

type Kind = 'account' | 'key' | 'voice';
type May = (permission: StaffPermission) => boolean;

/** Something that actions are about: what is on the screen, or was found. */
export interface Place extends Partial<Record<`${Kind}Id`, string>> {
  address?: string;
  /** Of what was found. */
  name?: string;
}

/** What can be done with something, and where: ID is its id. */
const ACTIONS: readonly [Kind, label: string, needs: StaffPermission, path: string][] = [
  ['account', 'New API key', 'keys.write', '/accounts/ID/new-key'],
  ['account', 'Grant credits', 'accounts.write', '/accounts/ID/credits?do=grant'],
  ['account', 'Request a credit', 'credits.request', '/accounts/ID/credits?do=request'],
  ['account', 'Report of a month', 'accounts.read', '/accounts/ID/report'],
  ['account', 'Suspend the account', 'accounts.write', '/accounts/ID?do=suspend'],
  ['key', 'Edit the allow-list', 'keys.read', '/api-keys/ID/allow-list'],
  ['key', 'Rotate the secret', 'keys.write', '/api-keys/ID?do=rotate'],
  ['key', 'Disable the key', 'keys.write', '/api-keys/ID?do=disable'],
  ['voice', 'Hold or take down the voice', 'voices.review', '/voices/ID?do=safety'],
];

const ANYWHERE: readonly [label: string, detail: string, needs: StaffPermission | null, path: string][] = [
  ['Take the next voice', 'At the review desk.', 'voices.review', '/review-desk?do=next'],
  ['Pause or resume reviews', 'Of all accounts.', 'queues.pause', '/queues?do=voice-review'],
  ['Sign-in and sessions', 'Your password, second factor and sessions.', null, '/security'],
];

/** What can be done from where the reader is. */
export function actionEntries(may: May, place: Place): PaletteEntry[] {
  const chooseFirst = may('keys.write') && !place.accountId;
  return [
    ...entriesOf(may, place),
    ...(chooseFirst ? [toEntry('New API key', 'Choose its account first.', '/accounts')] : []),
    ...ANYWHERE.flatMap(([label, detail, needs, path]) =>
      needs === null || may(needs) ? [toEntry(label, detail, path)] : [],
    ),
  ];
}

/** What can be done with what is on the screen, or was found. */
export function entriesOf(may: May, place: Place): PaletteEntry[] {
  const { keyId, address, name } = place;
  const whole = ACTIONS.flatMap(([kind, label, needs, path]) => {
    const id = place[`${kind}Id`];
    if (id === undefined || !may(needs)) return [];
    return [toEntry(label, name ?? `The ${kind} on this screen.`, path.replace('ID', id))];
  });
  if (!keyId || !address || !may('keys.write')) return whole;
  const add = toEntry(
    `Add ${address} to the allow-list`,
    name ?? '',
    `/api-keys/${keyId}/allow-list?add=${address}`,
  );
  return [...whole, add];
}

function toEntry(label: string, detail: string, path: string): PaletteEntry {
  const [to = '', query = ''] = path.split('?');
  const search = Object.fromEntries(new URLSearchParams(query));
  return { id: `action ${path}`, group: 'Actions', label, detail, to, search };
}

/** What actions on something that was found are about. */
export function placeOfHit({
  kind,
  id,
  name,
  detail,
  key_id,
  voice_id,
}: Schema['SearchHitResponse']): Place | null {
  if (kind === 'account') return { accountId: id, name };
  if (kind === 'key' && key_id) return { keyId: key_id, name };
  if (kind === 'address' && key_id) return { keyId: key_id, address: detail ?? undefined, name };
  return kind === 'voice' && voice_id ? { voiceId: voice_id, name } : null;
}
