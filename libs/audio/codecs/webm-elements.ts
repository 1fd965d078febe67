import { UndecodableAudioError } from './undecodable-audio.error';

const [EBML, SEGMENT, CLUSTER, TRACKS, TRACK, TRACK_TYPE] = [
  0x1a45dfa3, 0x18538067, 0x1f43b675, 0x1654ae6b, 0xae, 0x83,
];
const SOUND = 2;
const [VOID, CRC] = [0xec, 0xbf];
/** Of a segment: index, info, tracks, clusters, cues, attachments, chapters, tags (RFC 9559). */
const IN_SEGMENT = [0x114d9b74, 0x1549a966, TRACKS, CLUSTER, 0x1c53bb6b, 0x1941a469, 0x1043a770, 0x1254c367];
/** Of a cluster: time, silent tracks, position, previous size, blocks and groups of them. */
const IN_CLUSTER = [0xe7, 0x5854, 0xa7, 0xab, 0xa3, 0xa0, 0xaf];
const KNOWN = new Map<number, Set<number>>([
  [0, new Set([EBML, SEGMENT, VOID, CRC])],
  [SEGMENT, new Set([...IN_SEGMENT, VOID, CRC])],
  [CLUSTER, new Set([...IN_CLUSTER, VOID, CRC])],
]);
const LONGEST_HEADER = 12;
/** Ten minutes of the shortest packets, and what is around them. */
const MOST_ELEMENTS = 300_000;

interface Element {
  id: number;
  from: number;
  /** Infinity where a recorder did not know it. */
  to: number;
}

/**
 * Where the elements of a WebM/Matroska file stop being those of one recording.
 *
 * @throws UndecodableAudioError when it has several tracks of sound, or more elements than a recording
 */
export function endOfWebm(bytes: Uint8Array): number {
  const open: Element[] = [{ id: 0, from: 0, to: bytes.length }];
  const seen = new Set<number>();
  let at = 0;
  for (let count = 0; at < bytes.length; count++) {
    if (count > MOST_ELEMENTS)
      throw new UndecodableAudioError(`a WebM/Matroska file with more than ${MOST_ELEMENTS} elements`);
    const folder = open.at(-1)!;
    const element = at < folder.to ? readElement(bytes, at) : null;
    if (element && KNOWN.get(folder.id)!.has(element.id) && !seen.has(element.id)) {
      const { id, from, to } = element;
      if (id === TRACKS) requireOneSound(bytes, from, Math.min(to, bytes.length));
      if ([EBML, SEGMENT, TRACKS].includes(id)) seen.add(id);
      if (KNOWN.has(id)) open.push(element);
      at = KNOWN.has(id) ? from : to;
    } else if (at === folder.to || (element && folder.to === Infinity)) {
      // One without a size ends where an element begins that it cannot have.
      open.pop();
    } else {
      const isCut = folder.to > bytes.length && at + LONGEST_HEADER > bytes.length;
      return isCut ? bytes.length : at;
    }
  }
  return bytes.length;
}

function requireOneSound(bytes: Uint8Array, from: number, to: number): void {
  let sounds = 0;
  for (const track of elementsIn(bytes, from, to)) {
    if (track.id !== TRACK) continue;
    for (const { id, from: at } of elementsIn(bytes, track.from, Math.min(track.to, to)))
      if (id === TRACK_TYPE && bytes[at] === SOUND) sounds += 1;
  }
  if (sounds > 1)
    throw new UndecodableAudioError(
      `a WebM/Matroska file with ${sounds} tracks of sound, of which one is accepted`,
    );
}

function* elementsIn(bytes: Uint8Array, from: number, to: number): Generator<Element> {
  for (let at = from; at < to;) {
    const element = readElement(bytes, at);
    if (!element) return;
    yield element;
    at = element.to;
  }
}

/** Null where none begins. */
function readElement(bytes: Uint8Array, at: number): Element | null {
  const idBytes = Math.clz32(bytes[at] ?? 0) - 23;
  if (idBytes > 4) return null;
  let id = 0;
  for (let n = 0; n < idBytes; n++) id = id * 256 + (bytes[at + n] ?? 0);
  const sizeAt = at + idBytes;
  const sizeBytes = Math.clz32(bytes[sizeAt] ?? 0) - 23;
  if (sizeBytes > 8) return null;
  const most = 2 ** (7 * sizeBytes) - 1;
  let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeBytes);
  for (let n = 1; n < sizeBytes; n++) size = size * 256 + (bytes[sizeAt + n] ?? 0);
  const from = sizeAt + sizeBytes;
  return { id, from, to: size === most ? Infinity : from + size };
}
