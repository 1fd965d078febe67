/** `OggS`. */
const OGGS = 0x4f676753;
/** A page header without its table of segments (RFC 3533). */
const HEADER_BYTES = 27;
const FIRST_PAGE = 2;
const LAST_PAGE = 4;

interface OggExtent {
  /** Where the pages of the first stream end: behind its last page, or before one that is none, or of another stream. */
  end: number;
  /** The bytes up to the end of the last whole page. A decoder would take part of a page for sound. */
  whole: Uint8Array;
  /** Samples that the page that was cut off would have added, or as many as the page before it did; 0 when none was. */
  missing: number;
}

/** Finds where the stream of an Ogg file ends, or was cut off in the middle of a page, and what that page would have held. */
export function readOggPages(bytes: Uint8Array): OggExtent {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [at, last, before] = [0, 0, 0];
  for (let isLast = false; !isLast && isPage(view, at);) {
    const end = endOfPage(bytes, at);
    const position = at + 14 <= bytes.length ? positionAt(view, at) : null;
    if (end > bytes.length) {
      const added = position === null ? last - before : position - last;
      return { end: bytes.length, whole: bytes.subarray(0, at), missing: Math.max(1, added) };
    }
    if (position !== null) [before, last] = [last, position];
    isLast = (bytes[at + 5]! & LAST_PAGE) !== 0;
    at = end;
  }
  return { end: at, whole: bytes.subarray(0, at), missing: 0 };
}

/** Whether a page of the first stream begins there, or is cut off there. */
function isPage(view: DataView, at: number): boolean {
  const left = view.byteLength - at;
  if (left < 4 || view.getUint32(at) !== OGGS) return false;
  if (left < 18) return true;
  const isFirst = (view.getUint8(at + 5) & FIRST_PAGE) !== 0;
  return view.getUint32(at + 14) === view.getUint32(14) && (at === 0 || !isFirst);
}

/** The first byte after a page, also where the file does not reach so far. */
export function endOfPage(bytes: Uint8Array, at: number): number {
  const segments = bytes[at + 26] ?? Infinity;
  const body = at + HEADER_BYTES + segments;
  if (body > bytes.length) return Infinity;
  let end = body;
  for (let n = at + HEADER_BYTES; n < body; n++) end += bytes[n]!;
  return end;
}

/** Null when no packet ends on the page. */
function positionAt(view: DataView, at: number): number | null {
  const high = view.getInt32(at + 10, true);
  return high < 0 ? null : high * 2 ** 32 + view.getUint32(at + 6, true);
}
