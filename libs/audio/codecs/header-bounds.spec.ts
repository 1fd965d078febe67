import type { Container } from './container';
import { DEFAULT_LIMITS, inspectHeader } from './decode-audio';
import { flacFile, oggFlacFile, silentOpus } from '../../../test/support/audio/containers';
import { wavFile } from '../../../test/support/audio/signals';
import { UndecodableAudioError } from './undecodable-audio.error';

/** As large as an uploaded file may be. */
const FILE_BYTES = 11 * 1024 * 1024;
/**
 * What a header may take of the event loop, as a multiple of reading its file byte by byte: a slow machine is slow in
 * both. With bounds the slowest of these takes 0.25; without them, those of WAV and MP4 take 7 to 31.
 */
const MOST_PASSES = 3;
/** The best of these counts: other processes share the machine. */
const ATTEMPTS = 3;

const filled = (head: Uint8Array, piece: Uint8Array, tail: Uint8Array = new Uint8Array(0)): Uint8Array => {
  const file = Buffer.alloc(FILE_BYTES);
  file.fill(piece, head.length);
  file.set(head);
  file.set(tail, file.length - tail.length);
  return file;
};

const EMPTY_CHUNK = Buffer.from('junk\0\0\0\0', 'latin1');
const RIFF = wavFile(new Uint8Array(0)).subarray(0, 12);
const SECOND_OF_WAV = wavFile(new Uint8Array(32_000), { sampleRate: 16_000 });
const TONE = new Int16Array(16_000).fill(100);
/** 24 bytes: MPEG-2 layer III, 8 kbit/s, 24 kHz, mono. */
const SHORTEST_MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xf3, 0x14, 0xc0]), Buffer.alloc(20)]);
const PAGE = Buffer.from('OggS\0\0');

const MP4_HEAD = Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1');

/** Files that make each reader of headers work for as long as it can be made to. */
const HOSTILE = {
  wav: {
    'empty chunks before the format': filled(RIFF, EMPTY_CHUNK),
    'empty chunks behind the samples': filled(SECOND_OF_WAV, EMPTY_CHUNK),
    'formats without an end': filled(RIFF, Buffer.from('fmt \0\0\0\0', 'latin1')),
  },
  mp3: {
    'the shortest frames': filled(new Uint8Array(0), SHORTEST_MP3_FRAME),
    'what begins like frames': filled(
      Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'),
      Buffer.from([0xff, 0xfb]),
    ),
  },
  flac: { 'frames without an end': filled(flacFile(TONE, 16_000), Buffer.from([0xff, 0xf8])) },
  'ogg-flac': { pages: filled(oggFlacFile(TONE, 16_000), PAGE) },
  'ogg-vorbis': { pages: filled(vorbisHead(), PAGE) },
  'ogg-opus': { pages: filled(silentOpus(50), PAGE) },
  webm: { 'empty elements': filled(Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80]), Buffer.from([0xec, 0x80])) },
  mp4: {
    'empty boxes': filled(MP4_HEAD, Buffer.from('\0\0\0\bfree', 'latin1')),
    'descriptions of tracks': filled(MP4_HEAD, Buffer.from('stsd')),
    'empty boxes behind a track': filled(
      Buffer.concat([MP4_HEAD, Buffer.from('\0\0\0\x1cstsd'), Buffer.alloc(12), Buffer.from('mp4a\0\0\0\0')]),
      Buffer.from('\0\0\0\bfree', 'latin1'),
    ),
  },
  amr: { frames: filled(Buffer.from('#!AMR\n'), Buffer.from([0x3c])) },
  adts: { frames: filled(new Uint8Array(0), Buffer.from([0xff, 0xf1])) },
  aiff: { chunks: filled(Buffer.from('FORM\0\0\0\0AIFF'), EMPTY_CHUNK) },
  wma: { objects: filled(Buffer.from('0&\xb2u', 'latin1'), Buffer.alloc(24)) },
} satisfies Record<Container, Record<string, Uint8Array>>;

function vorbisHead(): Uint8Array {
  const head = Buffer.from(silentOpus(1));
  head.write('\x01vorbis\0\0\0\0\x01\x80\xbb\0\0', 28, 'latin1');
  return head;
}

function readHeader(bytes: Uint8Array): void {
  try {
    inspectHeader(bytes, DEFAULT_LIMITS, true);
  } catch (error) {
    if (!(error instanceof UndecodableAudioError)) throw error;
  }
}

function readBytes(bytes: Uint8Array): void {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  expect(sum).toBeGreaterThan(0);
}

function msOf(work: () => void): number {
  const attempts = Array.from({ length: ATTEMPTS }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.min(...attempts);
}

describe.each(Object.entries(HOSTILE))('a header of %s is read within its bound:', (_, files) => {
  it.each(Object.entries(files))('%s', (_name, bytes) => {
    const headerMs = msOf(() => readHeader(bytes));
    expect(headerMs).toBeLessThan(MOST_PASSES * msOf(() => readBytes(bytes)));
  });
});

it('a WAV file of more chunks than any program writes is refused for that', () => {
  for (const file of [
    HOSTILE.wav['empty chunks before the format'],
    HOSTILE.wav['empty chunks behind the samples'],
  ])
    expect(() => inspectHeader(file)).toThrow('Found a WAV file with more than 1000 chunks.');
});

it('an MP3 file of more frames than it may have seconds is refused as too long', () => {
  expect(() => inspectHeader(HOSTILE.mp3['the shortest frames'])).toThrow('more than 600 seconds of audio');
});
