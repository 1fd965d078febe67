import { readText, readTextFile, TextFileError } from './text-file';

const errorOf = (read: () => string) => {
  try {
    return read();
  } catch (error) {
    return error instanceof TextFileError ? error.message : error;
  }
};

it('reads UTF-8, with or without its mark, in the composed form', () => {
  for (const text of ['Zo\u00eb\r\n\tx', '\ufeffZoe\u0308\r\n\tx'])
    expect(readTextFile(Buffer.from(text))).toBe('Zo\u00eb\r\n\tx');
});

it('takes the joiners that letters and emoji need', () => {
  const text = '\u06cc\u200c\u0645 \u{1f469}\u200d\u{1f680}';
  expect(readText(text)).toBe(text);
});

it.each([
  ['UTF-16', Buffer.from('\ufeffname', 'utf16le'), 'Line 1: The file is in UTF-16; save it in UTF-8.'],
  ['UTF-16, big-endian', Buffer.from('\ufeffname', 'utf16le').swap16(), 'Line 1: The file is in UTF-16'],
  [
    'UTF-16 without a mark',
    Buffer.from('name', 'utf16le'),
    'Line 1: A character that cannot be seen, U+0000',
  ],
  ['Windows-1252', Buffer.from('name\nZo\xeb\n', 'latin1'), 'Line 2: It is not UTF-8'],
  ['a character that is cut off', Buffer.from('a\nb\nZo\u00eb').subarray(0, -1), 'Line 3: It is not UTF-8'],
])('refuses %s with its line', (_, bytes, message) => {
  expect(errorOf(() => readTextFile(bytes))).toMatch(message);
});

it.each([
  ['0000', '\0'],
  ['001B', '\u001b'],
  ['0085', '\u0085'],
  ['200B', '\u200b'],
  ['202E', '\u202e'],
  ['2028', '\u2028'],
  ['FEFF', '\ufeff'],
])('refuses U+%s with its line', (code, character) => {
  expect(errorOf(() => readText(`a\r\nb\r\nc${character}`))).toBe(
    `Line 3: A character that cannot be seen, U+${code}, is not accepted.`,
  );
});

it('refuses what a program wrote for a letter it could not read', () => {
  expect(errorOf(() => readText('a\nZo\ufffd'))).toMatch(/^Line 2: A character was lost/);
});
