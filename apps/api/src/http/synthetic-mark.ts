import type { AppConfig } from '@app/config/app-config';
import type { FastifyReply } from 'fastify';

/**
 * What audio that a voice has spoken says of itself, in its container and in a header; null where this is off.
 *
 * @param id of the preview, the history item or the request
 */
export function syntheticMark(
  { syntheticAudioMarks, publicUrl, cell }: AppConfig,
  id: string,
  at = new Date(),
): string | null {
  if (syntheticAudioMarks === 'off') return null;
  const installation = publicUrl === undefined ? `cell-${cell}` : new URL(publicUrl).host;
  return `machine-made; installation=${installation}; at=${at.toISOString()}; id=${id}`;
}

/** Writes the header of a response with audio, which is all that bare samples have. */
export function writeSyntheticMark(reply: FastifyReply, mark: string | null | undefined): void {
  if (mark) void reply.header('x-synthetic-audio', mark);
}
