import { useEffect } from 'react';
import { browserStore } from '../components/browser-store';
import { useMe } from '../session/me';
import type { PaletteEntry } from './entries';
import { openedLately, rememberOpened } from './opened';

/** Remembers that the page of something is open. */
export function useOpened(kind: string, name: string, to: string): void {
  const { id } = useMe();
  useEffect(() => {
    rememberOpened(browserStore, id, { kind, name, to });
  }, [id, kind, name, to]);
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
