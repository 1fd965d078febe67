import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ID_BYTES = 16;
/** Random bytes are drawn for many ids at once: a draw costs more than all else that an id needs. */
const pool = Buffer.alloc(ID_BYTES * 512);
let used = pool.length;

/** Gives a request its id, which its response then carries. */
export function identify(request: IncomingMessage): string {
  const id = newRequestId();
  request.requestId = id;
  return id;
}

/** A new request id: 32 hex characters that cannot be guessed. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('hex', used - ID_BYTES, used);
}
