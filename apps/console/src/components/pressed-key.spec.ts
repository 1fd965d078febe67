import { isSending, pressedKey, type KeyPress } from './pressed-key';

const press = (key: string, code: string, rest: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  isComposing: false,
  keyCode: 0,
  ...rest,
});

it.each([
  ['a Latin layout', 'k', 'KeyK', 'k'],
  ['Cyrillic', 'л', 'KeyK', 'k'],
  ['Greek', 'κ', 'KeyK', 'k'],
  ['Arabic', 'ن', 'KeyK', 'k'],
  ['Dvorak, where another key writes it', 'k', 'KeyV', 'k'],
  ['Caps Lock', 'K', 'KeyK', 'k'],
  ['French digits', 'é', 'Digit2', '2'],
  ['French digits in ASCII', '&', 'Digit1', '1'],
  ['an Arabic slash', 'ظ', 'Slash', '/'],
  ['a letter that only this layout has', 'ö', 'Semicolon', 'ö'],
  ['a named key', 'Enter', 'Enter', 'Enter'],
  ['a number pad', '3', 'Numpad3', '3'],
])('%s', (_, key, code, expected) => {
  expect(pressedKey(press(key, code))).toBe(expected);
});

it('Shift keeps what it writes', () => {
  expect(pressedKey(press('J', 'KeyJ', { shiftKey: true }))).toBe('J');
  expect(pressedKey(press('О', 'KeyJ', { shiftKey: true }))).toBe('J');
  expect(pressedKey(press('/', 'Digit7', { shiftKey: true }))).toBe('/');
  expect(pressedKey(press('؟', 'Slash', { shiftKey: true }))).toBe('?');
});

it('nothing is pressed while an input method composes, nor by the Enter that ends it', () => {
  expect(pressedKey(press('Enter', 'Enter', { isComposing: true }))).toBeNull();
  expect(pressedKey(press('Enter', 'Enter', { keyCode: 229 }))).toBeNull();
  expect(isSending(press('Enter', 'Enter', { ctrlKey: true, isComposing: true }))).toBe(false);
  expect(isSending(press('Enter', 'Enter', { ctrlKey: true }))).toBe(true);
  expect(isSending(press('Enter', 'Enter'))).toBe(false);
});
