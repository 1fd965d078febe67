import { latin1 } from './container';
import { UndecodableAudioError } from './undecodable-audio.error';

interface Box {
  type: string;
  /** Where its header begins. */
  at: number;
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
 *   many boxes; the bytes that the last box claims and the file does not have; how long its sound claims to be, or 0; and how many tracks of sound
 *   it has
 */
export function outlineMp4(bytes: Uint8Array): {
  mostSamples: number;
  lostBytes: number;
  claimedSecs: number;
  soundTracks: number;
} {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const open: Box[] = [{ type: '', at: 0, from: 0, to: bytes.length }];
  let [mostSamples, lostBytes, claimedSecs, soundTracks, trackSecs, count] = [0, 0, 0, 0, 0, 0];
  for (let folder = open.pop(); folder; folder = open.pop()) {
    for (const box of boxesIn(bytes, view, folder)) {
      if (++count > MOST_BOXES) return { mostSamples: Infinity, lostBytes, claimedSecs, soundTracks };
      lostBytes = Math.max(lostBytes, Math.min(bytes.length, box.to - bytes.length));
      const whole = { ...box, to: Math.min(box.to, bytes.length) };
      if (FOLDERS.has(box.type)) open.push(whole);
      else if (box.type === 'mdhd') trackSecs = secondsOf(view, whole);
      // Of a track of sound, whose times are the latest that were read: the last folder is opened first.
      else if (box.type === 'smhd') {
        claimedSecs = trackSecs;
        soundTracks += 1;
      }
      if (box.type in COUNTS) mostSamples = Math.max(mostSamples, samplesOf(view, whole));
    }
  }
  return { mostSamples, lostBytes, claimedSecs, soundTracks };
}

/** At the top of one file (ISO/IEC 14496-12, QuickTime), of which it has one; and those that it may have several of. */
const ONCE = ['ftyp', 'moov'];
const AT_TOP = [
  ...ONCE,
  ...'mdat moof mfra sidx ssix styp prft emsg pdin meta uuid free skip wide udta'.split(' '),
];

/**
 * Where the boxes of an MP4 file stop being those of one recording.
 *
 * @throws UndecodableAudioError when it has several tracks of sound
 */
export function endOfMp4(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const seen = new Set<string>();
  let end = 0;
  for (const { type, to } of boxesIn(bytes, view, { type: '', at: 0, from: 0, to: bytes.length })) {
    if (!AT_TOP.includes(type) || (ONCE.includes(type) && seen.has(type))) break;
    seen.add(type);
    end = Math.min(to, bytes.length);
  }
  const { soundTracks } = outlineMp4(bytes.subarray(0, end));
  if (soundTracks <= 1) return end;
  throw new UndecodableAudioError(
    `an MP4/M4A file with ${soundTracks} tracks of sound, of which one is accepted`,
  );
}

function* boxesIn(bytes: Uint8Array, view: DataView, { from, to }: Box): Generator<Box> {
  for (let at = from; at + 8 <= to;) {
    const size = view.getUint32(at);
    const isLong = size === 1 && at + 16 <= to;
    // 0: to the end of the file; 1: in 64 bits.
    const length = isLong ? Number(view.getBigUint64(at + 8)) : size === 0 ? to - at : size;
    if (length < 8) return;
    yield { type: latin1(bytes, at + 4, 4), at, from: at + (isLong ? 16 : 8), to: at + length };
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

/** Of the header of a track, whose times have 32 or 64 bits. */
function secondsOf(view: DataView, { from, to }: Box): number {
  const isLong = to > from && view.getUint8(from) === 1;
  if (to - from < (isLong ? 32 : 20)) return 0;
  const perSecond = view.getUint32(from + (isLong ? 20 : 12));
  const units = isLong ? Number(view.getBigUint64(from + 24)) : view.getUint32(from + 16);
  return perSecond === 0 || units === 0xffff_ffff ? 0 : units / perSecond;
}

/** Where a table has positions in the file, and of how many bytes. */
const POSITION_BYTES: Record<string, 4 | 8> = { stco: 4, co64: 8 };

/** The same file with its index before the sound, as a reader needs it that cannot go back. Telephones write it at the end. */
export function withIndexFirst(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const boxes = firstBoxes(bytes, view, { type: '', at: 0, from: 0, to: bytes.length });
  const [index, media] = ['moov', 'mdat'].map((type) => boxes.find((box) => box.type === type));
  if (!index || !media || index.at < media.at || index.to > bytes.length) return bytes;
  const moved = bytes.slice(index.at, index.to);
  const from = index.from - index.at;
  shiftPositions(moved, { type: 'moov', at: 0, from, to: moved.length }, media.at, index.at);
  return Buffer.concat([
    bytes.subarray(0, media.at),
    moved,
    bytes.subarray(media.at, index.at),
    bytes.subarray(index.to),
  ]);
}

/** What lies from `from` to `to` comes to lie behind the index. */
function shiftPositions(index: Uint8Array, folder: Box, from: number, to: number): void {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  for (const box of firstBoxes(index, view, folder)) {
    const end = Math.min(box.to, folder.to);
    const bytes = POSITION_BYTES[box.type];
    if (FOLDERS.has(box.type)) shiftPositions(index, { ...box, to: end }, from, to);
    if (bytes === undefined) continue;
    for (let at = box.from + 8; at + bytes <= end; at += bytes) {
      const position = bytes === 8 ? Number(view.getBigUint64(at)) : view.getUint32(at);
      if (position < from || position >= to) continue;
      if (bytes === 8) view.setBigUint64(at, BigInt(position + index.length));
      else view.setUint32(at, position + index.length);
    }
  }
}

function firstBoxes(bytes: Uint8Array, view: DataView, folder: Box): Box[] {
  const boxes: Box[] = [];
  for (const box of boxesIn(bytes, view, folder)) if (boxes.push(box) === MOST_BOXES) break;
  return boxes;
}
