import { mediaTypeOf } from '@app/audio/codecs/encode-audio';
import type { FastifyReply } from 'fastify';
import { writeUnspoken } from '../text-to-voice/unspoken-header';
import type { Speech } from './speech';

/** Writes the headers of speech: what it costs when it is heard to its end, its format and who speaks. */
export function writeSpeechHeaders(
  reply: FastifyReply,
  { cost, request, engine, unspoken, draft }: Speech,
  mediaType = mediaTypeOf(request.outputFormat),
): void {
  void reply
    .header('content-type', mediaType)
    .header('request-id', reply.request.id)
    .header('character-cost', cost)
    .header('x-voice-engine', engine);
  writeUnspoken(reply, unspoken);
  if (draft) void reply.header('history-item-id', draft.item.id);
}
