import { id3Length } from './tags';

/** What one MPEG audio frame header says (ISO/IEC 11172-3, 13818-3 and the 2.5 extension). */
export interface MpegFrame {
  layer: 2 | 3;
  bitrateKbps: number;
  sampleRate: number;
  channels: 1 | 2;
  /** Samples per channel that the frame decodes to. */
  samples: number;
  /** Length of the whole frame with its header. */
  bytes: number;
  /** MPEG-1 has two granules a frame; MPEG-2 and 2.5 (the low rates) have one. */
  lowRate: boolean;
}

const BITRATES_KBPS = {
  mpeg1layer3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg1layer2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  mpeg2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const SAMPLE_RATES = [44100, 48000, 32000] as const;
/** Version bits -> divisor of the MPEG-1 sample rates; 1 is reserved. */
const RATE_DIVISORS = [4, undefined, 2, 1] as const;

/** Reads the header at `offset`; null when there is none (free-format and layer I count as none). */
export function readMpegFrame(bytes: Uint8Array, offset: number): MpegFrame | null {
  if (offset + 4 > bytes.length || bytes[offset] !== 0xff || (bytes[offset + 1]! & 0xe0) !== 0xe0)
    return null;
  const [second, third, fourth] = [bytes[offset + 1]!, bytes[offset + 2]!, bytes[offset + 3]!];
  const divisor = RATE_DIVISORS[(second >> 3) & 3];
  const layer = 4 - ((second >> 1) & 3);
  const baseRate = SAMPLE_RATES[(third >> 2) & 3];
  if (divisor === undefined || baseRate === undefined || (layer !== 2 && layer !== 3)) return null;
  const bitrateKbps = bitrateTable(layer, divisor > 1)[(third >> 4) - 1];
  if (bitrateKbps === undefined) return null;
  const sampleRate = baseRate / divisor;
  const samples = layer === 3 && divisor > 1 ? 576 : 1152;
  const bytesInFrame = Math.floor((samples * 125 * bitrateKbps) / sampleRate) + ((third >> 1) & 1);
  const channels = fourth >> 6 === 3 ? 1 : 2;
  return { layer, bitrateKbps, sampleRate, channels, samples, bytes: bytesInFrame, lowRate: divisor > 1 };
}

/** No frame is longer: layer II at 160 kbit/s and 8 kHz. */
const LONGEST_FRAME = 2_880;

/**
 * Where the first frame is that is followed by a second one of the same kind (two in a row rule out chance matches), with
 * that frame. Before it there may be ID3v2 tags, zeros, and the rest of a frame where a recording was cut out of a stream.
 */
export function findMpegStart(bytes: Uint8Array): { offset: number; frame: MpegFrame } | null {
  let begin = 0;
  for (let tag = id3Length(bytes); tag > 0; tag = id3Length(bytes, begin)) begin += tag;
  while (bytes[begin] === 0) begin++;
  return findTwoFrames(bytes, begin, begin + LONGEST_FRAME);
}

/** The first of two frames of the same kind in a row that begins between `from` and `to`. */
export function findTwoFrames(
  bytes: Uint8Array,
  from: number,
  to: number,
): { offset: number; frame: MpegFrame } | null {
  for (let offset = from; offset < Math.min(to, bytes.length); offset++) {
    const frame = readMpegFrame(bytes, offset);
    const next = frame && readMpegFrame(bytes, offset + frame.bytes);
    if (next && isSameKind(next, frame)) return { offset, frame };
  }
  return null;
}

/** Walks the frames from `offset` to the first that is of another kind, or is none; with each, where it ends. */
export function* mpegFrames(bytes: Uint8Array, offset: number): Generator<MpegFrame & { end: number }> {
  const first = readMpegFrame(bytes, offset);
  let at = offset;
  for (let frame = first; frame && isSameKind(frame, first!); frame = readMpegFrame(bytes, at)) {
    at += frame.bytes;
    yield { ...frame, end: at };
  }
}

/** Where the frames of an MP3 file end, or the file does where it was cut off in the last one. */
export function endOfMpeg(bytes: Uint8Array): number {
  const start = findMpegStart(bytes);
  let end = start?.offset ?? 0;
  if (start) for (const frame of mpegFrames(bytes, start.offset)) ({ end } = frame);
  return Math.min(end, bytes.length);
}

function isSameKind(a: MpegFrame, b: MpegFrame): boolean {
  return a.sampleRate === b.sampleRate && a.layer === b.layer && a.channels === b.channels;
}

function bitrateTable(layer: 2 | 3, lowRate: boolean): readonly number[] {
  if (lowRate) return BITRATES_KBPS.mpeg2;
  return layer === 3 ? BITRATES_KBPS.mpeg1layer3 : BITRATES_KBPS.mpeg1layer2;
}
