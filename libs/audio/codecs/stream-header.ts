import { latin1, nameOf, oggFirstPacket } from './container';
import { findMpegStart, mpegFrames, type MpegFrame } from './mpeg-frame';
import { readOggPages } from './ogg-pages';
import type { StreamContainer } from './stream-decoders';
import { UndecodableAudioError } from './undecodable-audio.error';

/** Of the shortest frames, 576 samples each, so many are longer than the 600 seconds at 48 kHz that any recording may have. */
const MAX_MP3_FRAMES = 50_001;

interface StreamHeader {
  codec: 'mp3' | 'flac' | 'vorbis' | 'opus';
  sampleRate: number;
  channels: number;
  /** Samples per channel that the stream promises (unverified), or 0. */
  expected: number;
  /** Samples that the container is sure of, or 0. */
  promised: number;
  /** Samples that are known to be missing at the end. */
  missing: number;
  /** Of FLAC, bytes that a frame has at most. */
  longestFrame?: number;
  /** The frames or pages to decode. */
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
  flac: (bytes, view) => ({ ...readFlac(view, 8), body: bytes.subarray(flacFrames(bytes, view)) }),
  'ogg-flac': (bytes, view) => ({
    ...readFlac(view, oggFirstPacket(bytes) + 17),
    body: readOggPages(bytes).whole,
  }),
  'ogg-vorbis': readVorbis,
  'ogg-opus': readOpus,
};

function readMp3(bytes: Uint8Array, view: DataView): StreamHeader {
  const start = findMpegStart(bytes);
  if (!start) throw new UndecodableAudioError('an MP3 file without frames');
  let expected = 0;
  let frames = 0;
  let missing = 0;
  for (const { samples, end } of mpegFrames(bytes, start.offset)) {
    expected += samples;
    if (end > bytes.length) missing = samples;
    if (++frames === MAX_MP3_FRAMES) break;
  }
  const { sampleRate, channels } = start.frame;
  const counted = Math.max(frames - 2 * PADDING_FRAMES, framesByMp3(bytes, view, start) - PADDING_FRAMES, 0);
  const promised = counted * start.frame.samples;
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

/** The count of frames in the first one (Xing, Info or VBRI), or 0. */
function framesByMp3(
  bytes: Uint8Array,
  view: DataView,
  { offset, frame }: { offset: number; frame: MpegFrame },
): number {
  const sideInfo = frame.lowRate ? [9, 17] : [17, 32];
  const tag = offset + 4 + sideInfo[frame.channels - 1]!;
  const isXing = ['Xing', 'Info'].includes(latin1(bytes, tag, 4)) && (view.getUint32(tag + 4) & 1) === 1;
  const isVbri = latin1(bytes, offset + 36, 4) === 'VBRI';
  return isXing ? view.getUint32(tag + 8) : isVbri ? view.getUint32(offset + 50) : 0;
}

/** STREAMINFO (RFC 9639 section 8.2): 20 bits rate, 3 bits channels, 5 bits depth, 36 bits length from byte 10. */
function readFlac(view: DataView, streamInfo: number): Omit<StreamHeader, 'body'> {
  const packed = view.getUint32(streamInfo + 10);
  const channels = ((packed >>> 9) & 7) + 1;
  return {
    codec: 'flac',
    sampleRate: packed >>> 12,
    channels,
    longestFrame: longestFlacFrame(view.getUint16(streamInfo + 2), channels, ((packed >>> 4) & 31) + 1),
    expected: view.getUint32(streamInfo + 14),
    promised: view.getUint32(streamInfo + 14),
    missing: 0,
  };
}

/** Of the headers of a frame and its channels, and its checksum (RFC 9639 section 9). */
const FLAC_FRAME_OVERHEAD = 64;

/** As long as a frame whose samples are stored as they are, of a difference of channels with a bit more. */
function longestFlacFrame(blockSize: number, channels: number, bits: number): number {
  return Math.ceil(((blockSize || 65_535) * channels * (bits + 1)) / 8) + FLAC_FRAME_OVERHEAD;
}

/** Where the frames of a FLAC file begin: behind its blocks of metadata, the last of which is marked. */
function flacFrames(bytes: Uint8Array, view: DataView): number {
  let at = 4;
  for (let isLast = false; !isLast && at + 4 <= bytes.length; at += 4 + (view.getUint32(at) & 0xff_ffff))
    isLast = bytes[at]! >= 0x80;
  return at;
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
  const { whole, missing } = readOggPages(bytes);
  return { promised: 0, missing, body: whole };
}

/** The position that the last page claims, in samples. */
function lastGranule(bytes: Uint8Array, view: DataView): number {
  const tail = Math.max(0, bytes.length - 65_536);
  const at = latin1(bytes, tail, bytes.length - tail).lastIndexOf('OggS');
  return at < 0 || tail + at + 14 > bytes.length ? 0 : view.getUint32(tail + at + 6, true);
}
