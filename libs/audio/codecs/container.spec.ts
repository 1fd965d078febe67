import { describeForeign, sniffContainer } from './container';

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
const REST = 'x'.repeat(200);

it.each([
  ['an ADTS stream (AAC)', bytes([0xff, 0xf1, 0x50, 0x80], REST)],
  ['an ADTS stream (AAC)', bytes([0xff, 0xf9, 0x50, 0x80], REST)],
  ['a Dolby Digital stream (AC-3)', bytes([0x0b, 0x77], REST)],
  ['a Wave64 file', bytes('riff', [0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6], REST)],
  [
    'a FLAC file behind an ID3 tag, which no FLAC file should have',
    bytes('ID3', [4, 0, 0, 0, 0, 0, 20], 'y'.repeat(20), 'fLaC', REST),
  ],
  ['an MP4/M4A file (AAC)', bytes([0, 0, 0, 32], 'ftypM4A ', REST)],
  ['an empty file', bytes()],
  ['a text file', bytes('This is a plain text.')],
])('%s is named, and not taken for a recording', (name, file) => {
  expect(sniffContainer(file)).toBeNull();
  expect(describeForeign(file)).toBe(name);
});
