import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useKeyPress } from '../components/keyboard';
import type { ScreenEntry } from '../components/page-tabs';

/** How long the letter after `g` may take. */
const SEQUENCE_MS = 1_500;

/** `/` to the search field, `g` and a letter to a screen, `?` to the list of shortcuts. Never while something is typed. */
export function useShortcuts(entries: readonly ScreenEntry[], onHelp: () => void): void {
  const navigate = useNavigate();
  const startedAt = useRef(-Infinity);
  useKeyPress((key, { timeStamp }) => {
    const entry = timeStamp - startedAt.current < SEQUENCE_MS && entries.find(({ letter }) => letter === key);
    startedAt.current = key === 'g' ? timeStamp : -Infinity;
    if (entry) void navigate({ to: entry.to });
    else if (key === '?') onHelp();
    else return key === '/' && focusSearch();
    return true;
  });
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('input[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}
