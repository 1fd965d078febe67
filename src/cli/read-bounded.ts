import { readTextFile } from '@app/domain/common/text-file';
import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 65_536;
/** Between two looks at an input that has nothing yet. */
const WAIT_MS = 20;

/**
 * Reads a file, a pipe or a device as text, and not more of it than is accepted: `/dev/zero` has no end.
 *
 * @param file a path, or the number of an open file, which stays open
 * @throws the error of the file system, one that names the bound, or TextFileError
 */
export function readBounded(file: string | number, maxBytes: number): string {
  const descriptor = typeof file === 'number' ? file : openSync(file, 'r');
  try {
    return readTextFile(Buffer.concat(chunksOf(descriptor, maxBytes)));
  } finally {
    if (descriptor !== file) closeSync(descriptor);
  }
}

function chunksOf(descriptor: number, maxBytes: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= maxBytes;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readWaiting(descriptor, chunk);
    if (read === 0) return chunks;
    chunks.push(chunk.subarray(0, read));
    size += read;
  }
  throw new Error(`it has more than the ${maxBytes} bytes that are accepted`);
}

/** Standard input may be a pipe that does not wait, as another program has left it. */
function readWaiting(descriptor: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}
