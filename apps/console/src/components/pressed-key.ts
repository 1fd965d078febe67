/** What is read of a `KeyboardEvent`, which only browsers have. */
export interface KeyPress {
  key: string;
  code: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
  keyCode: number;
}

/** What browsers report while an input method has the keyboard, and Safari for the Enter that ends a composition. */
const OF_INPUT_METHOD = 229;

/**
 * The key that was pressed, whatever the layout writes: a letter in lower case unless Shift is held, a named key by its name.
 * Where a layout is not Latin, or has its digits on Shift, the place of the key counts. Null while an input method composes.
 */
export function pressedKey({ key, code, shiftKey, isComposing, keyCode }: KeyPress): string | null {
  if (isComposing || keyCode === OF_INPUT_METHOD) return null;
  const [, letter, digit] = /^(?:Key([A-Z])|Digit(\d))$/.exec(code) ?? [];
  if (digit !== undefined && !shiftKey) return digit;
  if (key.length > 1) return key;
  const written = key > '~' ? (letter ?? (code === 'Slash' ? (shiftKey ? '?' : '/') : key)) : key;
  return shiftKey ? written : written.toLowerCase();
}

/** Ctrl or ⌘ and Enter send what is being typed. */
export const isSending = (event: KeyPress): boolean =>
  pressedKey(event) === 'Enter' && (event.ctrlKey || event.metaKey);
