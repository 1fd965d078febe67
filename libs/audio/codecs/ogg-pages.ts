/** `OggS`. */
const OGGS = 0x4f676753;
/** A page header without its table of segments (RFC 3533). */
const HEADER_BYTES = 27;

interface OggExtent {
  /** The bytes up to the end of the last whole page. A decoder would take part of a page for sound. */
  whole: Uint8Array;
  /** Samples that the page that was cut off would have added, or as many as the page before it did; 0 when none was. */
  missing: number;
}

/** Finds where an Ogg file was cut off in the middle of a page, and what that page would have held. */
export function findOggExtent(bytes: Uint8Array): OggExtent {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [last, before] = [0, 0];
  for (let at = 0; at < bytes.length;) {
    if (at + 4 > bytes.length || view.getUint32(at) !== OGGS) {
      const next = nextPage(bytes, at + 1);
      if (next < 0) break;
      at = next;
      continue;
    }
    const end = endOfPage(bytes, at);
    const position = at + 14 <= bytes.length ? positionAt(view, at) : null;
    if (end > bytes.length) {
      const added = position === null ? last - before : position - last;
      return { whole: bytes.subarray(0, at), missing: Math.max(1, added) };
    }
    if (position !== null) [before, last] = [last, position];
    at = end;
  }
  return { whole: bytes, missing: 0 };
}

/** The first byte after a page, also where the file does not reach so far. */
function endOfPage(bytes: Uint8Array, at: number): number {
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

function nextPage(bytes: Uint8Array, from: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf('OggS', from, 'latin1');
}
