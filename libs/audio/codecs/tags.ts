const ID3V2_HEADER = 10;
const ID3V1_BYTES = 128;
const APE_MARK = 32;
const LYRICS_END = 9 + 6;

/** Bytes of the ID3v2 tag that begins at `at`; 0 without one. Its size has seven bits a byte; a footer is as long as its header. */
export function id3Length(bytes: Uint8Array, at = 0): number {
  if (at + ID3V2_HEADER > bytes.length || text(bytes, at, 3) !== 'ID3') return 0;
  const size = [6, 7, 8, 9].reduce((sum, n) => sum * 128 + (bytes[at + n]! & 0x7f), 0);
  return ID3V2_HEADER + size + (bytes[at + 5]! & 0x10 ? ID3V2_HEADER : 0);
}

/** A file without the tags at its end: ID3v1, APE and Lyrics3, in any order. */
export function withoutTags(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  for (let tag = -1; tag !== 0; end -= tag) tag = tagBefore(bytes, end);
  return bytes.subarray(0, end);
}

/** Bytes of the tag that ends at `end`, or 0. */
function tagBefore(bytes: Uint8Array, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const within = (length: number) => (length <= end ? length : 0);
  if (text(bytes, end - ID3V1_BYTES, 3) === 'TAG') return ID3V1_BYTES;
  if (text(bytes, end - APE_MARK, 8) === 'APETAGEX') {
    const hasHeader = view.getUint32(end - 12, true) >= 0x8000_0000;
    return within(view.getUint32(end - 20, true) + (hasHeader ? APE_MARK : 0));
  }
  if (text(bytes, end - 9, 9) === 'LYRICS200')
    return within(Number(text(bytes, end - LYRICS_END, 6)) + LYRICS_END);
  return 0;
}

function text(bytes: Uint8Array, at: number, length: number): string {
  return at < 0
    ? ''
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', at, at + length);
}
