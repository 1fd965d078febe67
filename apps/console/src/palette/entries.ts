import type { Schema } from '../api/client';
import { plural, humanize } from '../components/number';
import { secondsText } from '../components/times-text';
import { toSearch, type RequestDescription } from '../explain/read-request';
import { browserStore } from '../components/browser-store';
import { openedLately } from '../components/opened';
import type { ScreenEntry } from '../components/page-tabs';
import { findByWords } from './find-by-words';

type Hit = Schema['SearchHitResponse'];

/** Something to open. */
export interface PaletteEntry {
  id: string;
  group: string;
  label: string;
  /** Whether a person has chosen the label. */
  isName?: boolean;
  /** What it is known by, beside its label. */
  detail?: string;
  to: string;
  search?: Record<string, string>;
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

/** Screens and actions whose words begin with what was typed, nearly if need be. */
export function localEntries(entries: readonly PaletteEntry[], typed: string): PaletteEntry[] {
  return findByWords(entries, ({ label, detail = '' }) => `${label} ${detail}`, typed);
}

export function screenEntries(screens: readonly ScreenEntry[]): PaletteEntry[] {
  return screens.map(({ label, hint, to }) => ({
    id: `screen ${to}`,
    group: 'Screens',
    label,
    detail: hint,
    to,
  }));
}

/** A pasted request, to be explained. */
export function requestEntry(request: RequestDescription): PaletteEntry {
  return {
    id: 'explain',
    group: 'Actions',
    label: 'Explain this request',
    detail: [request.method, request.path].filter(Boolean).join(' '),
    to: '/explain',
    search: toSearch(request),
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

function placeOf({
  kind,
  id,
  detail,
  account,
  key_id,
  voice_id,
  target_id,
}: Hit): Pick<PaletteEntry, 'to' | 'search'> {
  if (kind === 'program') return { to: '/explain', search: { credential: id } };
  if (kind === 'staff') return { to: '/staff', search: { search: detail ?? '' } };
  if (target_id !== null) return { to: '/audit-log', search: { target: target_id } };
  if (kind === 'request') return { to: '/explain', search: { find: id } };
  if (voice_id !== null) return { to: `/voices/${voice_id}` };
  if (kind === 'preview') return { to: `/accounts/${account?.id}/voices`, search: { preview: id } };
  if (key_id !== null) return { to: `/api-keys/${key_id}` };
  return { to: `/accounts/${account?.id ?? id}` };
}

/** What was opened lately, without the page that is open. */
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
