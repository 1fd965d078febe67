import { type OwnContainer, type PacketContainer, latin1, nameOf, oggFirstPacket } from './container';
import { findMpegStart, mpegFrames, type MpegFrame } from './mpeg-frame';
import { findOggExtent } from './ogg-pages';
import { CompressedCodec } from './stream-decoders';
import { UndecodableAudioError } from './undecodable-audio.error';

/** Of the shortest frames, 576 samples each, so many are longer than the 600 seconds at 48 kHz that any recording may have. */
const MAX_MP3_FRAMES = 50_001;

type StreamContainer = Exclude<OwnContainer, 'wav' | PacketContainer>;

interface StreamHeader {
  codec: CompressedCodec;
  sampleRate: number;
  channels: number;
  /** Samples per channel that the stream promises (unverified), or 0. */
  expected: number;
  /** Samples that the container is sure of, or 0. */
  promised: number;
  /** Samples that are known to be missing at the end. */
  missing: number;
  /** The bytes to decode, without the tags that another program has put around the stream. */
  body: Uint8Array;
}

/**
 * Reads what a compressed stream says about itself before anything is decoded.
 *
 * @throws UndecodableAudioError when the header is cut off
 */
export function readStreamHeader(bytes: Uint8Array, container: StreamContainer): StreamHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return HEADER_READERS[container](bytes, view);
  } catch (error) {
    if (error instanceof UndecodableAudioError) throw error;
    throw new UndecodableAudioError(`${nameOf(container)} that ends inside its header`, { cause: error });
  }
}

const HEADER_READERS: Record<StreamContainer, (bytes: Uint8Array, view: DataView) => StreamHeader> = {
  mp3: readMp3,
  flac: (bytes, view) => ({ ...readFlac(bytes, view, 8), body: withoutId3v1(bytes) }),
  'ogg-flac': (bytes, view) => ({
    ...readFlac(bytes, view, oggFirstPacket(bytes) + 17),
    body: findOggExtent(bytes).whole,
  }),
  'ogg-vorbis': readVorbis,
  'ogg-opus': readOpus,
};

function readMp3(bytes: Uint8Array, view: DataView): StreamHeader {
  const start = findMpegStart(bytes);
  if (!start) throw new UndecodableAudioError('an MP3 file without frames');
  let expected = 0;
  let frames = 0;
  let end = start.offset;
  let missing = 0;
  for (const frame of mpegFrames(bytes, start.offset)) {
    expected += frame.samples;
    end += frame.bytes;
    if (end > bytes.length) missing = frame.samples;
    if (++frames === MAX_MP3_FRAMES) break;
  }
  const { sampleRate, channels } = start.frame;
  const promised = promisedByMp3(bytes, view, start);
  return {
    codec: 'mp3',
    sampleRate,
    channels,
    expected,
    promised,
    missing,
    body: bytes.subarray(start.offset),
  };
}

/** Frames that a decoder leaves out: the silence that an encoder puts before and after the sound. */
const PADDING_FRAMES = 3;

/** Samples by the count of frames in the first one (Xing, Info or VBRI), or 0. */
function promisedByMp3(
  bytes: Uint8Array,
  view: DataView,
  { offset, frame }: { offset: number; frame: MpegFrame },
): number {
  const sideInfo = frame.lowRate ? [9, 17] : [17, 32];
  const tag = offset + 4 + sideInfo[frame.channels - 1]!;
  const isXing = ['Xing', 'Info'].includes(latin1(bytes, tag, 4)) && (view.getUint32(tag + 4) & 1) === 1;
  const isVbri = latin1(bytes, offset + 36, 4) === 'VBRI';
  const frames = isXing ? view.getUint32(tag + 8) : isVbri ? view.getUint32(offset + 50) : 0;
  return Math.max(0, frames - PADDING_FRAMES) * frame.samples;
}

/** STREAMINFO (RFC 9639 section 8.2): 20 bits rate, 3 bits channels, 5 bits depth, 36 bits length from byte 10. */
function readFlac(bytes: Uint8Array, view: DataView, streamInfo: number): StreamHeader {
  const packed = view.getUint32(streamInfo + 10);
  return {
    codec: 'flac',
    sampleRate: packed >>> 12,
    channels: ((packed >>> 9) & 7) + 1,
    expected: view.getUint32(streamInfo + 14),
    promised: view.getUint32(streamInfo + 14),
    missing: 0,
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
    ...withinPages(bytes),
  };
}

/** Opus always decodes at 48 kHz (RFC 7845); the rate in its header is that of the source. */
function readOpus(bytes: Uint8Array, view: DataView): StreamHeader {
  const channels = view.getUint8(oggFirstPacket(bytes) + 9);
  return {
    codec: 'opus',
    sampleRate: 48_000,
    channels,
    expected: lastGranule(bytes, view),
    ...withinPages(bytes),
  };
}

function withinPages(bytes: Uint8Array): Pick<StreamHeader, 'promised' | 'missing' | 'body'> {
  const { whole, missing } = findOggExtent(bytes);
  return { promised: 0, missing, body: whole };
}

/** The position that the last page claims, in samples. */
function lastGranule(bytes: Uint8Array, view: DataView): number {
  const tail = Math.max(0, bytes.length - 65_536);
  const at = latin1(bytes, tail, bytes.length - tail).lastIndexOf('OggS');
  return at < 0 || tail + at + 14 > bytes.length ? 0 : view.getUint32(tail + at + 6, true);
}
