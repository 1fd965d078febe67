import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isTyping, useShortcutSetting } from '../components/keyboard';
import type { ScreenEntry } from '../components/page-tabs';

/** How long the letter after `g` may take. */
const SEQUENCE_MS = 1_500;

/** `/` to the search field, `g` and a letter to a screen, `?` to the list of shortcuts. Never while something is typed. */
export function useShortcuts(entries: readonly ScreenEntry[], onHelp: () => void): void {
  const [enabled] = useShortcutSetting();
  const navigate = useNavigate();
  const startedAt = useRef(-Infinity);
  useEffect(() => {
    if (!enabled) return undefined;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const entry =
        event.timeStamp - startedAt.current < SEQUENCE_MS &&
        entries.find(({ letter }) => letter === event.key);
      startedAt.current = event.key === 'g' ? event.timeStamp : -Infinity;
      if (entry) void navigate({ to: entry.to });
      else if (event.key === '?') onHelp();
      else if (event.key !== '/' || !focusSearch()) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [enabled, entries, navigate, onHelp]);
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('input[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}
