import { Container, latin1, oggFirstPacket } from './container';
import { findMpegStart, mpegFrames } from './mpeg-frame';
import { CompressedCodec } from './stream-decoders';
import { UndecodableAudioError } from './undecodable-audio.error';

/** Of the shortest frames, 576 samples each, so many are longer than the 600 seconds at 48 kHz that any recording may have. */
const MAX_MP3_FRAMES = 50_001;

interface StreamHeader {
  codec: CompressedCodec;
  sampleRate: number;
  channels: number;
  /** Samples per channel that the stream promises (unverified), or 0. */
  expected: number;
  /** The bytes to decode, without the tags that another program has put around the stream. */
  body: Uint8Array;
}

/**
 * Reads what a compressed stream says about itself before anything is decoded.
 *
 * @throws UndecodableAudioError when the header is cut off
 */
export function readStreamHeader(bytes: Uint8Array, container: Exclude<Container, 'wav'>): StreamHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return HEADER_READERS[container](bytes, view);
  } catch (error) {
    if (error instanceof UndecodableAudioError) throw error;
    throw new UndecodableAudioError(`a ${container} file that ends inside its header`, { cause: error });
  }
}

const HEADER_READERS: Record<
  Exclude<Container, 'wav'>,
  (bytes: Uint8Array, view: DataView) => StreamHeader
> = {
  mp3: readMp3,
  flac: (bytes, view) => ({ ...readFlac(bytes, view, 8), body: withoutId3v1(bytes) }),
  'ogg-flac': (bytes, view) => readFlac(bytes, view, oggFirstPacket(bytes) + 17),
  'ogg-vorbis': readVorbis,
  'ogg-opus': readOpus,
};

function readMp3(bytes: Uint8Array): StreamHeader {
  const start = findMpegStart(bytes);
  if (!start) throw new UndecodableAudioError('an MP3 file without frames');
  let expected = 0;
  let frames = 0;
  for (const frame of mpegFrames(bytes, start.offset)) {
    expected += frame.samples;
    if (++frames === MAX_MP3_FRAMES) break;
  }
  const { sampleRate, channels } = start.frame;
  return { codec: 'mp3', sampleRate, channels, expected, body: bytes.subarray(start.offset) };
}

/** STREAMINFO (RFC 9639 section 8.2): 20 bits rate, 3 bits channels, 5 bits depth, 36 bits length from byte 10. */
function readFlac(bytes: Uint8Array, view: DataView, streamInfo: number): StreamHeader {
  const packed = view.getUint32(streamInfo + 10);
  return {
    codec: 'flac',
    sampleRate: packed >>> 12,
    channels: ((packed >>> 9) & 7) + 1,
    expected: view.getUint32(streamInfo + 14),
    body: bytes,
  };
}

/** ID3v1 is the last 128 bytes of a file and begins with "TAG". A FLAC decoder would take it for part of the last frame. */
function withoutId3v1(bytes: Uint8Array): Uint8Array {
  return latin1(bytes, bytes.length - 128, 3) === 'TAG' ? bytes.subarray(0, -128) : bytes;
}

function readVorbis(bytes: Uint8Array, view: DataView): StreamHeader {
  const packet = oggFirstPacket(bytes);
  const sampleRate = view.getUint32(packet + 12, true);
  return {
    codec: 'vorbis',
    sampleRate,
    channels: view.getUint8(packet + 11),
    expected: lastGranule(bytes, view),
    body: bytes,
  };
}

/** Opus always decodes at 48 kHz (RFC 7845); the rate in its header is that of the source. */
function readOpus(bytes: Uint8Array, view: DataView): StreamHeader {
  const channels = view.getUint8(oggFirstPacket(bytes) + 9);
  return { codec: 'opus', sampleRate: 48_000, channels, expected: lastGranule(bytes, view), body: bytes };
}

/** The position that the last page claims, in samples. */
function lastGranule(bytes: Uint8Array, view: DataView): number {
  const tail = Math.max(0, bytes.length - 65_536);
  const at = latin1(bytes, tail, bytes.length - tail).lastIndexOf('OggS');
  return at < 0 || tail + at + 14 > bytes.length ? 0 : view.getUint32(tail + at + 6, true);
}
