import type { Socket } from 'node:net';

/** A client has so long to begin with a response, and must then read this much of it per second. */
export const READ_GRACE_MS = 15_000;
export const MIN_READ_BYTES_PER_SEC = 32 * 1024;
/** What may be unread on all connections of one network, and on all there are, beyond what the machine's buffers hold. */
export const MAX_UNREAD_BYTES_PER_NETWORK = 64 * 1024 * 1024;
export const MAX_UNREAD_BYTES = 256 * 1024 * 1024;

/** Something is written to a connection, and has not been taken. */
interface Unread {
  sinceMs: number;
  /** When this much was unread, and this much written. */
  bytes: number;
  written: number;
}

/** A connection that may be slow to read. */
export interface Reader {
  readonly socket: Pick<Socket, 'writableLength' | 'bytesWritten' | 'destroy'>;
  readonly network: string;
  /** Null when the client has read everything. */
  unread: Unread | null;
}

/**
 * Those who read too slowly, or have too much unread: of a network, and of all, the longest waiting are named until the rest
 * is within bounds.
 *
 * @param nowMs on a monotonic clock
 */
export function findSlowReaders<R extends Reader>(readers: Iterable<R>, nowMs: number): R[] {
  const unread = [...readers].filter((reader) => note(reader, nowMs));
  // The latest first: they keep their place.
  unread.sort((a, b) => b.unread!.sinceMs - a.unread!.sinceMs);
  const bytesOf = new Map<string, number>();
  let total = 0;
  return unread.filter((reader) => {
    const { network, socket } = reader;
    const ofNetwork = (bytesOf.get(network) ?? 0) + socket.writableLength;
    const isTooMuch =
      ofNetwork > MAX_UNREAD_BYTES_PER_NETWORK || total + socket.writableLength > MAX_UNREAD_BYTES;
    if (isTooMuch || isTooSlow(reader.unread!, nowMs)) return true;
    bytesOf.set(network, ofNetwork);
    total += socket.writableLength;
    return false;
  });
}

/** Notes since when something is unread; whether something is. */
function note(reader: Reader, nowMs: number): boolean {
  const { writableLength: bytes, bytesWritten: written } = reader.socket;
  if (bytes === 0) reader.unread = null;
  // More was written: the client has taken what was unread before.
  else if (reader.unread?.written !== written) reader.unread = { sinceMs: nowMs, bytes, written };
  return reader.unread !== null;
}

function isTooSlow({ sinceMs, bytes }: Unread, nowMs: number): boolean {
  return nowMs - sinceMs > READ_GRACE_MS + (bytes / MIN_READ_BYTES_PER_SEC) * 1_000;
}
