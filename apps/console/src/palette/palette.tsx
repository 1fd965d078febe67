import { withoutSecrets } from '@app/domain/keys/secret-text';
import { Box, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo, useState, type KeyboardEvent } from 'react';
import { api, type Schema, useMay, useMe } from '../api/client';
import { Dialog } from '../components/dialog';
import { Name } from '../components/inline';
import { pressedKey } from '../components/pressed-key';
import { ProblemBanner } from '../components/banner';
import { readRequest } from '../explain/read-request';
import type { ScreenEntry } from '../components/page-tabs';
import {
  actionEntries,
  entriesOf,
  placeOfHit,
  hitEntry,
  openedEntries,
  requestEntry,
  screenEntries,
  type PaletteEntry,
} from './entries';
import { findByWords } from './find-by-words';

const PAUSE_MS = 120;
/** The server finds nothing by less. */
const SHORTEST = 2;
const LONGEST = 200;
const LIST_ID = 'palette-list';
const NOTHING: Schema['SearchResponse'] = { items: [], nearest: false };

export function Palette(props: {
  screens: readonly ScreenEntry[];
  takeTyped: () => string;
  onClose: () => void;
}) {
  const { screens, takeTyped, onClose } = props;
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const navigate = useNavigate();
  const request = useMemo(() => readRequest(typed), [typed]);
  const search = useFound(request.find ?? '');
  const [isEntering, setIsEntering] = useState(false);
  const entries = useEntries(screens, typed, search.data ?? NOTHING);
  // The field, and what is typed into it, shows before all that is found.
  const drawn = useDeferredValue(entries, []);
  useEffect(() => {
    setActive(0);
    setIsEntering(false);
  }, [typed]);
  useEffect(() => {
    document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const open = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onClose();
    void navigate({ to: entry.to, search: (entry.search ?? {}) as never });
  };
  useEffect(() => {
    // What stands first may change until the server has responded to the last letter.
    if (!isEntering || !search.isSettled) return;
    setIsEntering(false);
    open(entries[active]);
  }, [isEntering, search.isSettled]);
  const press = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: -1 };
    const key = pressedKey(event.nativeEvent) ?? '';
    const next = moves[key];
    const isEdit = (key === 'Home' || key === 'End') && typed !== '';
    if (key === 'Enter') setIsEntering(true);
    else if (next === undefined || isEdit || entries.length === 0) return;
    else setActive((next + entries.length) % entries.length);
    event.preventDefault();
  };
  return (
    <Dialog onClose={onClose} title="Find anything" of={null} wide discards>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label="Find anything"
        aria-expanded={entries.length > 0}
        aria-controls={LIST_ID}
        aria-autocomplete="list"
        aria-activedescendant={entries.length > 0 ? optionId(active) : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="Name, id, address, last four, request id, curl command"
        value={typed}
        onFocus={() => setTyped(typed + takeTyped())}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={press}
      />
      <Text c="dimmed" mt={6} mb="sm" role="status">
        {statusOf(typed, entries.length, search)}
      </Text>
      <ProblemBanner error={search.error} />
      <Box
        role="listbox"
        id={LIST_ID}
        aria-label="Found"
        tabIndex={-1}
        mah="min(60vh, 32rem)"
        style={{ overflowY: 'auto' }}
      >
        {groupsOf(drawn).map(([group, members]) => (
          <div key={group} role="group" aria-label={group}>
            <Text fz="sm" fw={600} c="dimmed" p="8px 10px 3px" aria-hidden>
              {group}
            </Text>
            {members.map(({ entry, place }) => (
              <Option key={entry.id} entry={entry} place={place} active={place === active} onOpen={open} />
            ))}
          </div>
        ))}
      </Box>
    </Dialog>
  );
}

function Option(props: {
  entry: PaletteEntry;
  place: number;
  active: boolean;
  onOpen: (entry: PaletteEntry) => void;
}) {
  const { entry, place, active, onOpen } = props;
  const { label, isName, detail } = entry;
  return (
    <div
      role="option"
      id={optionId(place)}
      aria-selected={active}
      className="gr-palette-option"
      style={{ padding: '6px 10px', borderRadius: 8, cursor: 'pointer' }}
      onClick={() => onOpen(entry)}
    >
      <div>{isName ? <Name>{label}</Name> : label}</div>
      {detail && (
        <Text fz="sm" c="dimmed">
          <Name>{detail}</Name>
        </Text>
      )}
    </div>
  );
}

const optionId = (place: number) => `palette-${place}`;

function useFound(find: string) {
  const current = find.trim().slice(0, LONGEST);
  const [requested] = useDebouncedValue(current, PAUSE_MS);
  const query = useQuery({
    queryKey: ['search', requested],
    queryFn: async ({ signal }) => {
      if (requested.length < SHORTEST) return NOTHING;
      return api.GET('/admin/search', { q: requested }, { signal });
    },
    placeholderData: keepPreviousData,
  });
  return { ...query, isSettled: requested === current && !query.isPlaceholderData && !query.isPending };
}

/** What is shown, in the order of the list: what only resembles the text after all that matches it, and without actions. */
function useEntries(
  screens: readonly ScreenEntry[],
  typed: string,
  { items: hits, nearest }: Schema['SearchResponse'],
): PaletteEntry[] {
  const may = useMay();
  const { accountId, keyId, voiceId } = useParams({ strict: false });
  const { id } = useMe();
  const pathname = useLocation({ select: (place) => place.pathname });
  return useMemo(() => {
    const request = readRequest(typed);
    const local = [...actionEntries(may, { accountId, keyId, voiceId }), ...screenEntries(screens)];
    const pasted = request.path !== undefined && may('keys.explain') ? [requestEntry(request)] : [];
    const found = typed.trim() === '' ? openedEntries(id, pathname) : hits.map(hitEntry);
    const first = typed.trim() === '' ? null : hits.map(placeOfHit).find((place) => place !== null);
    const words = ({ label, detail = '' }: PaletteEntry) => `${label} ${detail}`;
    const commands = findByWords(local, words, withoutSecrets(typed));
    if (nearest && typed.trim() !== '') return [...pasted, ...commands, ...found];
    const known = new Set(commands.map((entry) => entry.id));
    const onFound = first ? entriesOf(may, first).filter((entry) => !known.has(entry.id)) : [];
    return [...pasted, ...found, ...onFound, ...commands];
  }, [screens, typed, hits, accountId, keyId, voiceId, id, pathname]);
}

function groupsOf(entries: PaletteEntry[]): [string, { entry: PaletteEntry; place: number }[]][] {
  const groups = new Map<string, { entry: PaletteEntry; place: number }[]>();
  entries.forEach((entry, place) => {
    groups.set(entry.group, [...(groups.get(entry.group) ?? []), { entry, place }]);
  });
  return [...groups];
}

function statusOf(typed: string, count: number, { isSettled, data }: ReturnType<typeof useFound>): string {
  const shown = withoutSecrets(typed).trim();
  const note =
    shown === typed.trim() ? '' : 'Only the last four characters of the secret leave this browser.';
  if (shown === '') return 'Arrow keys to choose, Enter to open.';
  if (data?.nearest && count === data.items.length) return `Nothing is called “${shown}”. Did you mean:`;
  if (count > 0) return note || `${count} found`;
  if (!isSettled) return 'Searching…';
  return note ? `No secret ends like this one. ${note}` : 'Nothing found by this name, id or address.';
}
