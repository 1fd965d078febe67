import { DomainError } from '@app/domain/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readRange, type ByteRange } from './byte-range';
import { writeSyntheticMark } from './synthetic-mark';

/** Stored audio of a response, whole or in part. */
export interface Recording<Content = Buffer> {
  /** Another one for other bytes. */
  digest: string;
  mediaType: string;
  sizeBytes: number;
  storedAt: Date;
  /** What says that it is machine-made; null for a recording of a person. */
  mark: string | null;
  /** Bytes, or a stream of them, which takes no memory while it is not read. */
  read(range?: ByteRange): Promise<Content>;
}

/**
 * Sends audio as players expect it (RFC 9110, 13 and 14): in the part they request, and not again when they have
 * it already.
 *
 * @param options.isStreamed what is read takes no memory
 * @returns the bytes; undefined for 304
 * @throws DomainError `range_not_satisfiable`
 */
export async function sendAudio<Content = Buffer>(
  request: FastifyRequest,
  reply: FastifyReply,
  recording: Recording<Content>,
  { isStreamed = false } = {},
): Promise<Content | undefined> {
  const etag = `"${recording.digest}"`;
  const modified = new Date(Math.floor(recording.storedAt.getTime() / 1_000) * 1_000);
  const known = isKnown(request, etag, modified);
  const range = known ? null : rangeFor(request, etag, modified, recording.sizeBytes);
  if (!known && !isStreamed)
    reply.server.unread.reserve(reply, range ? range.end - range.start + 1 : recording.sizeBytes);
  // Before any header: when it fails, the response is not audio.
  const bytes = known ? undefined : await recording.read(range ?? undefined);
  void reply
    .header('etag', etag)
    .header('last-modified', modified.toUTCString())
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, no-cache')
    .header('content-type', recording.mediaType);
  writeSyntheticMark(reply, recording.mark);
  if (known) void reply.status(304);
  if (range) {
    void reply
      .status(206)
      .header('content-range', `bytes ${range.start}-${range.end}/${recording.sizeBytes}`);
  }
  return bytes;
}

/** Whether the caller has this very content. If-None-Match goes before If-Modified-Since. */
function isKnown({ headers }: FastifyRequest, etag: string, modified: Date): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
  }
  return new Date(headers['if-modified-since'] ?? '').getTime() >= modified.getTime();
}

/** The part that is requested; null for the whole, also when the part was meant for another content (If-Range). */
function rangeFor(
  { headers }: FastifyRequest,
  etag: string,
  modified: Date,
  sizeBytes: number,
): ByteRange | null {
  const condition = headers['if-range'];
  const holds =
    condition === undefined ||
    condition === etag ||
    new Date(String(condition)).getTime() === modified.getTime();
  const range = holds ? readRange(headers.range, sizeBytes) : null;
  if (range !== 'unsatisfiable') return range;
  throw new DomainError('range_not_satisfiable', { input: headers.range ?? '', sizeBytes });
}
