import { latin1 } from './container';
import { UndecodableAudioError } from './undecodable-audio.error';

/** Ten minutes of 10 ms. */
const MOST_FRAMES = 60_000;

const NO_TYPE = -1;
/** Bytes of a frame behind its first one, by the type in it (3GPP TS 26.101 and 26.201). */
const AMR: Record<string, number[]> = {
  '#!AMR\n': [12, 13, 15, 17, 19, 20, 26, 31, 5, 6, 5, 5, NO_TYPE, NO_TYPE, NO_TYPE, 0],
  '#!AMR-WB\n': [17, 23, 32, 36, 40, 46, 50, 58, 60, 5, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, 0, 0],
};

export function endOfAmr(bytes: Uint8Array): number {
  const [magic, sizes] = Object.entries(AMR).find(([head]) => latin1(bytes, 0, head.length) === head) ?? [
    '',
    [],
  ];
  return endOfFrames('an AMR file', bytes, magic.length, (at) => {
    const head = bytes[at]!;
    // What is not the type or the mark of a good frame is 0; a byte of nothing else is padding behind the last frame.
    const size = head === 0 || head & 0x83 ? NO_TYPE : (sizes[head >> 3] ?? NO_TYPE);
    return size === NO_TYPE ? null : 1 + size;
  });
}

/** ISO/IEC 14496-3, 1.A.2: layer, profile, rate and channels are those of the first frame. */
export function endOfAdts(bytes: Uint8Array): number {
  const kind = (at: number) =>
    [bytes[at + 1]! & 0xf6, bytes[at + 2]! & 0xfd, bytes[at + 3]! & 0xc0].join(' ');
  return endOfFrames('an ADTS stream', bytes, 0, (at) => {
    if (at + 7 > bytes.length) return bytes[at] === 0xff ? Infinity : null;
    const size = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5);
    return bytes[at] === 0xff && kind(at) === kind(0) && size > 7 ? size : null;
  });
}

function endOfFrames(
  name: string,
  bytes: Uint8Array,
  from: number,
  sizeAt: (at: number) => number | null,
): number {
  let at = from;
  for (let count = 0; at < bytes.length; count++) {
    if (count > MOST_FRAMES) throw new UndecodableAudioError(`${name} of more than ${MOST_FRAMES} frames`);
    const size = sizeAt(at);
    if (size === null) return at;
    at += size;
  }
  return bytes.length;
}

/** Chunks in a form, of which one has the samples (AIFF 1.3). */
export function endOfAiff(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length < 12 ? bytes.length : Math.min(8 + view.getUint32(4), bytes.length);
  let hasSamples = false;
  for (let at = 12; at + 8 <= end;) {
    const isSamples = latin1(bytes, at, 4) === 'SSND';
    if (isSamples && hasSamples) return at;
    hasSamples ||= isSamples;
    const size = view.getUint32(at + 4);
    at += 8 + size + (size & 1);
  }
  return end;
}

/** The objects that ASF has at its top, by the first bytes of their names: header, data, and four kinds of index. */
const INDEXES = ['90080033', 'd329e2d6', 'f803b1fe', 'd03fb73c'];
const ASF_OBJECTS = ['3026b275', '3626b275', ...INDEXES];

export function endOfWma(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const seen = new Set<string>();
  let at = 0;
  while (at + 24 <= bytes.length) {
    const name = Buffer.from(bytes.subarray(at, at + 4)).toString('hex');
    const size = Number(view.getBigUint64(at + 16, true));
    if (!ASF_OBJECTS.includes(name) || seen.has(name) || size < 24) return at;
    if (!INDEXES.includes(name)) seen.add(name);
    at += size;
  }
  return Math.min(at, bytes.length);
}
