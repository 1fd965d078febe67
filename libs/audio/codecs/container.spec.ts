import { wavFile } from '../../../test/support/audio/signals';
import { describeForeign, sniffContainer } from './container';

const bytes = (...parts: (string | number[] | Uint8Array)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
/** 24 bytes: MPEG-2 layer III, 8 kbit/s, 24 kHz, mono. */
const MP3_FRAME = [0xff, 0xf3, 0x14, 0xc0, ...Array<number>(20).fill(0)];
const REST = 'x'.repeat(200);
/** The rest of the head of `stsd`, and the size of the first entry. */
const SAMPLE_ENTRY = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 36];

it.each([
  ['an ADTS stream (AAC)', bytes([0xff, 0xf1, 0x50, 0x80], REST)],
  ['an ADTS stream (AAC)', bytes([0xff, 0xf9, 0x50, 0x80], REST)],
  ['a Dolby Digital stream (AC-3)', bytes([0x0b, 0x77], REST)],
  ['a Wave64 file', bytes('riff', [0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6], REST)],
  [
    'a FLAC file behind an ID3 tag of 30 bytes, where none belongs',
    bytes('ID3', [4, 0, 0, 0, 0, 0, 20], 'y'.repeat(20), 'fLaC', REST),
  ],
  [
    'a WAV file behind an ID3 tag of 30 bytes, where none belongs',
    bytes('ID3', [4, 0, 0, 0, 0, 0, 20], 'y'.repeat(20), wavFile(new Uint8Array(100))),
  ],
  [
    'an MP3 file whose ID3 tag claims 5002 bytes, where its first frame is at byte 30',
    bytes('ID3', [4, 0, 0, 0, 0, 39, 0], 'y'.repeat(20), ...Array.from({ length: 90 }, () => MP3_FRAME)),
  ],
  ['an ID3 tag of 30 bytes without a recording behind it', bytes('ID3', [4, 0, 0, 0, 0, 0, 20], REST)],
  ['an MP4/M4A file', bytes([0, 0, 0, 32], 'ftypM4A ', REST)],
  ['an MP4/M4A file (AAC)', bytes([0, 0, 0, 32], 'ftypM4A ', REST, 'stsd', SAMPLE_ENTRY, 'mp4a', REST)],
  ['an MP4/M4A file (ALAC)', bytes([0, 0, 0, 32], 'ftypM4A ', REST, 'stsd', SAMPLE_ENTRY, 'alac', REST)],
  ['an MP4/M4A file (PCM)', bytes([0, 0, 0, 32], 'ftypqt  ', REST, 'stsd', SAMPLE_ENTRY, 'lpcm', REST)],
  ['a 3GP file (AMR)', bytes([0, 0, 0, 32], 'ftyp3gp4', REST, 'stsd', SAMPLE_ENTRY, 'samr', REST)],
  ['a WavPack file', bytes('wvpk', REST)],
  ["a Monkey's Audio file (APE)", bytes('MAC ', REST)],
  ['a True Audio file (TTA)', bytes('TTA1', REST)],
  ['a Musepack file', bytes('MPCK', REST)],
  ['a DSF file (DSD)', bytes('DSD ', REST)],
  ['an empty file', bytes()],
  ['a text file', bytes('This is a plain text.')],
])('%s is named, and not taken for a recording', (name, file) => {
  expect([null, 'mp4']).toContain(sniffContainer(file));
  expect(describeForeign(file)).toBe(name);
});
