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

/**
 * The first position, searched up to `reach` bytes, where a frame is followed by a second one of the same kind
 * (two in a row rule out chance matches), with that frame. Skips an ID3v2 tag.
 */
export function findMpegStart(
  bytes: Uint8Array,
  searchBytes = 64 * 1024,
): { offset: number; frame: MpegFrame } | null {
  const begin = id3Length(bytes);
  const end = Math.min(bytes.length, begin + searchBytes);
  for (let offset = begin; offset < end; offset++) {
    const frame = readMpegFrame(bytes, offset);
    if (!frame) continue;
    const next = readMpegFrame(bytes, offset + frame.bytes);
    if (next && next.sampleRate === frame.sampleRate && next.layer === frame.layer) return { offset, frame };
  }
  return null;
}

/** Walks the frames from `offset` to the first gap. */
export function* mpegFrames(bytes: Uint8Array, offset: number): Generator<MpegFrame> {
  for (let at = offset; ;) {
    const frame = readMpegFrame(bytes, at);
    if (!frame) return;
    yield frame;
    at += frame.bytes;
  }
}

function bitrateTable(layer: 2 | 3, lowRate: boolean): readonly number[] {
  if (lowRate) return BITRATES_KBPS.mpeg2;
  return layer === 3 ? BITRATES_KBPS.mpeg1layer3 : BITRATES_KBPS.mpeg1layer2;
}

function id3Length(bytes: Uint8Array): number {
  if (bytes[0] !== 0x49 || bytes[1] !== 0x44 || bytes[2] !== 0x33 || bytes.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (bytes[at]! & 0x7f), 0);
  return size + 10;
}
