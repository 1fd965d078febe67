import { useLocalStorage } from '@mantine/hooks';

/** Shortcuts of one letter can be switched off: they get in the way of speech input (WCAG 2.1.4). */
export function useShortcutSetting() {
  return useLocalStorage({ key: 'greenroom.shortcuts', defaultValue: true });
}

/** Whether a key that is pressed there belongs to a field or a dialog. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && target.type !== 'checkbox') ||
    target.closest('[role=dialog]') !== null
  );
}
