import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useEffectEvent } from 'react';
import { pressedKey } from './pressed-key';

/** Shortcuts of one letter can be switched off: they get in the way of speech input (WCAG 2.1.4). */
export const useShortcutSetting = () => useLocalStorage({ key: 'greenroom.shortcuts', defaultValue: true });

/** Calls `press` with each key that is pressed alone and not typed; it returns whether it has done something. */
export function useKeyPress(press: (key: string, event: KeyboardEvent) => boolean): void {
  const [enabled] = useShortcutSetting();
  const onPress = useEffectEvent(press);
  useEffect(() => {
    if (!enabled) return undefined;
    const listen = (event: KeyboardEvent) => {
      const key = pressedKey(event);
      if (key === null || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!isTyping(event.target) && onPress(key, event)) event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [enabled]);
}

/** What keys do on a screen. Space and Enter stay with the control or row that has the focus. */
export function useKeys(keys: Record<string, (() => void) | undefined>): void {
  useKeyPress((key, { repeat, target }) => {
    const act = repeat || ((key === ' ' || key === 'Enter') && isOnControl(target)) ? undefined : keys[key];
    act?.();
    return act !== undefined;
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && target.type !== 'checkbox') ||
    target.closest('[role=dialog]') !== null
  );
}

const isOnControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('button, a, summary, audio, tr[data-row]') !== null;
