import { useEffect, useRef } from 'react';
import { isTyping, useShortcutSetting } from '../components/keyboard';

/** What the keys of the desk do; a key without an action does nothing. */
export type DeskKeys = Partial<
  Record<'n' | 't' | 'u' | ' ' | 'Enter' | '1' | '2' | '3' | '4' | '5', () => void>
>;

/** Keys of the desk. Never while something is typed; space and Enter stay with the button or row that has the focus. */
export function useDeskKeys(keys: DeskKeys): void {
  const [enabled] = useShortcutSetting();
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    if (!enabled) return undefined;
    const press = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(target)) return;
      if ((key === ' ' || key === 'Enter') && isOnControl(target)) return;
      const act = current.current[key as keyof DeskKeys];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [enabled]);
}

function isOnControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a, summary, audio, tr[data-row]') !== null;
}
