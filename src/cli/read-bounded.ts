import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 65_536;

/**
 * Reads a file, a pipe or a device as text, and not more of it than is accepted: `/dev/zero` has no end.
 *
 * @param file a path, or the number of an open file, which stays open
 * @throws the error of the file system, or one that names the bound
 */
export function readBounded(file: string | number, maxBytes: number): string {
  const descriptor = typeof file === 'number' ? file : openSync(file, 'r');
  try {
    return Buffer.concat(chunksOf(descriptor, maxBytes)).toString('utf8');
  } finally {
    if (descriptor !== file) closeSync(descriptor);
  }
}

function chunksOf(descriptor: number, maxBytes: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= maxBytes;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(descriptor, chunk);
    if (read === 0) return chunks;
    chunks.push(chunk.subarray(0, read));
    size += read;
  }
  throw new Error(`it has more than the ${maxBytes} bytes that are accepted`);
}
