/** Part of a content, both ends included, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The part that a Range header requests (RFC 9110, 14.1.2). Null for the whole: no header, one that is not understood, and
 * several ranges at once, for which a server may send everything.
 *
 * @returns `unsatisfiable` when the range begins after the end
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const [, from, to] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return null;
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  if (to !== '' && Number(to) < Number(from)) return null;
  if (Number(from) >= sizeBytes) return 'unsatisfiable';
  return { start: Number(from), end: to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1) };
}
