import type { Schema } from '../api/client';
import { plural, words } from '../components/number';
import { secondsText } from '../queues/times-text';
import { toSearch, type RequestDescription } from '../explain/read-request';
import type { ScreenEntry } from '../shell/navigation';

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
};

/** Screens and actions whose words begin with what was typed; when there are none, with one letter of each word wrong. */
export function localEntries(entries: readonly PaletteEntry[], typed: string): PaletteEntry[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const find = (begins: (known: string, word: string) => boolean) =>
    entries.filter(({ label, detail = '' }) => {
      const known = `${label} ${detail}`.toLowerCase().split(/[\s,:.]+/);
      return wanted.every((word) => known.some((each) => begins(each, word)));
    });
  const exact = find((known, word) => known.startsWith(word));
  return exact.length > 0 ? exact : find(beginsNearly);
}

/** Whether a word of four letters or more begins another one but for a letter that is wrong, missing, too many or swapped. */
function beginsNearly(known: string, word: string): boolean {
  if (known.startsWith(word)) return true;
  if (word.length < 4) return false;
  const at = [...word].findIndex((letter, place) => known[place] !== letter);
  const [rest, wrong] = [word.slice(at), known.slice(at)];
  const swapped =
    rest.slice(0, 2) === (wrong[1] ?? '') + (wrong[0] ?? '') && wrong.slice(2).startsWith(rest.slice(2));
  return (
    swapped ||
    wrong.slice(1).startsWith(rest.slice(1)) ||
    wrong.slice(1).startsWith(rest) ||
    wrong.startsWith(rest.slice(1))
  );
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
    status === null ? null : words(status),
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
  if (kind === 'staff') return { to: '/staff', search: { search: detail ?? '' } };
  if (target_id !== null) return { to: '/audit-log', search: { target: target_id } };
  if (kind === 'request') return { to: '/explain', search: { find: id } };
  if (voice_id !== null) return { to: `/voices/${voice_id}` };
  if (kind === 'preview') return { to: `/accounts/${account?.id}/voices`, search: { preview: id } };
  if (key_id !== null) return { to: `/api-keys/${key_id}` };
  return { to: `/accounts/${account?.id ?? id}` };
}
