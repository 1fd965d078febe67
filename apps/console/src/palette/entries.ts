import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import type { Schema } from '../api/client';
import { browserStore } from '../components/browser-store';
import { plural, humanize } from '../components/number';
import { openedLately } from '../components/opened';
import type { ScreenEntry } from '../components/page-tabs';
import { secondsText } from '../components/times-text';
import type { RequestDescription } from '../explain/read-request';

type Hit = Schema['SearchHitResponse'];

export interface PaletteEntry {
  id: string;
  group: string;
  label: string;
  /** Whether a person has chosen the label. */
  isName?: boolean;
  detail?: string;
  to: string;
  search?: Record<string, string | undefined>;
}

const GROUPS: Record<Hit['kind'], string> = {
  account: 'Accounts',
  key: 'API keys',
  voice: 'Voices',
  preview: 'Previews',
  request: 'Requests',
  address: 'Addresses',
  staff: 'Staff',
  program: 'Programs',
};

export function screenEntries(screens: readonly ScreenEntry[]): PaletteEntry[] {
  return screens.map(({ label, hint, to }) => ({
    id: `screen ${to}`,
    group: 'Screens',
    label,
    detail: hint,
    to,
  }));
}

export function requestEntry(request: RequestDescription): PaletteEntry {
  return {
    id: 'explain',
    group: 'Actions',
    label: 'Explain this request',
    detail: [request.method, request.path].filter(Boolean).join(' '),
    to: '/explain',
    search: { ...request },
  };
}

export function hitEntry(hit: Hit, place: number): PaletteEntry {
  return {
    id: `hit ${place}`,
    group: GROUPS[hit.kind],
    label: hit.kind === 'preview' ? hit.id : hit.name,
    isName: hit.kind !== 'request' && hit.kind !== 'preview',
    detail: detailOf(hit),
    ...placeOf(hit),
  };
}

function detailOf({ kind, id, name, detail, status, account, credits, duration_ms }: Hit): string {
  const about = [
    kind === 'preview' ? name : detail,
    status === null ? null : humanize(status),
    credits === null ? null : plural(credits, 'credit'),
    duration_ms === null ? null : secondsText(duration_ms / 1_000),
  ];
  const whose = account !== null && account.id !== id ? account.name : null;
  return [...about, whose].filter(Boolean).join(' · ');
}

type Target = Pick<PaletteEntry, 'to' | 'search'>;

function placeOf({ kind, id, detail, account, key_id, voice_id, target_id }: Hit): Target {
  if (kind === 'program') return { to: '/explain', search: { credential: id } };
  if (kind === 'staff') return { to: '/staff', search: { search: detail ?? '' } };
  if (target_id !== null) return { to: '/audit-log', search: { target: target_id } };
  if (kind === 'request') return { to: '/explain', search: { find: id } };
  if (voice_id !== null) return { to: `/voices/${voice_id}` };
  if (kind === 'preview') return { to: `/accounts/${account?.id}/voices`, search: { preview: id } };
  if (key_id !== null) return { to: `/api-keys/${key_id}` };
  return { to: `/accounts/${account?.id ?? id}` };
}

export function openedEntries(staffId: string, here: string): PaletteEntry[] {
  return openedLately(browserStore, staffId)
    .filter(({ to }) => to !== here)
    .map(({ kind, name, to }) => ({
      id: `opened ${to}`,
      group: 'Opened lately',
      label: name,
      isName: true,
      detail: kind,
      to,
    }));
}

type Kind = 'account' | 'key' | 'voice';
type May = (permission: StaffPermission) => boolean;

/** Something that actions are about: what is on the screen, or was found. */
interface Place extends Partial<Record<`${Kind}Id`, string>> {
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

export function placeOfHit({ kind, id, name, detail, key_id, voice_id }: Hit): Place | null {
  if (kind === 'account') return { accountId: id, name };
  if (kind === 'key' && key_id) return { keyId: key_id, name };
  if (kind === 'address' && key_id) return { keyId: key_id, address: detail ?? undefined, name };
  return kind === 'voice' && voice_id ? { voiceId: voice_id, name } : null;
}
