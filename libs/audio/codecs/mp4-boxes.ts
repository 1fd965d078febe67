import { latin1 } from './container';

interface Box {
  type: string;
  /** Behind its header. */
  from: number;
  /** As it claims, which may be beyond the file. */
  to: number;
}

const FOLDERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf']);
const MOST_BOXES = 20_000;

/** Where a table has its counts of samples: bytes behind the header of the box, and from one entry to the next. */
const COUNTS: Record<string, { entries?: number; at: number; step: number }> = {
  stsz: { at: 8, step: 0 },
  trun: { at: 4, step: 0 },
  stts: { entries: 4, at: 8, step: 8 },
  stsc: { entries: 4, at: 12, step: 12 },
};

/**
 * Reads the outline of an MP4 file before its reader does, which believes every count.
 *
 * @returns the most samples that a table claims to describe, Infinity where a table is larger than its box or there are too
 *   many boxes; and the bytes that the last box claims and the file does not have
 */
export function outlineMp4(bytes: Uint8Array): { mostSamples: number; lostBytes: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const open: Box[] = [{ type: '', from: 0, to: bytes.length }];
  let [mostSamples, lostBytes, count] = [0, 0, 0];
  for (let folder = open.pop(); folder; folder = open.pop()) {
    for (const box of boxesIn(bytes, view, folder)) {
      if (++count > MOST_BOXES) return { mostSamples: Infinity, lostBytes };
      lostBytes = Math.max(lostBytes, Math.min(bytes.length, box.to - bytes.length));
      const whole = { ...box, to: Math.min(box.to, bytes.length) };
      if (FOLDERS.has(box.type)) open.push(whole);
      else if (box.type in COUNTS) mostSamples = Math.max(mostSamples, samplesOf(view, whole));
    }
  }
  return { mostSamples, lostBytes };
}

function* boxesIn(bytes: Uint8Array, view: DataView, { from, to }: Box): Generator<Box> {
  for (let at = from; at + 8 <= to;) {
    const size = view.getUint32(at);
    const isLong = size === 1 && at + 16 <= to;
    // 0: to the end of the file; 1: in 64 bits.
    const length = isLong ? Number(view.getBigUint64(at + 8)) : size === 0 ? to - at : size;
    if (length < 8) return;
    yield { type: latin1(bytes, at + 4, 4), from: at + (isLong ? 16 : 8), to: at + length };
    at += length;
  }
}

/** The sum of the counts of a table. */
function samplesOf(view: DataView, { type, from, to }: Box): number {
  const { entries, at, step } = COUNTS[type]!;
  if (from + at + 4 > to) return 0;
  const rows = entries === undefined ? 1 : view.getUint32(from + entries);
  if (rows > 0 && from + at + (rows - 1) * step + 4 > to) return Infinity;
  let samples = 0;
  for (let row = 0; row < rows; row++) samples += view.getUint32(from + at + row * step);
  return samples;
}
