import { mediaTypeOf } from '@app/audio/codecs/encode-audio';
import type { FastifyReply } from 'fastify';
import type { Speech } from './speech';

/** Writes the headers of speech: what it costs when it is heard to its end, its format and who speaks. */
export function writeSpeechHeaders(reply: FastifyReply, { cost, request, engine }: Speech): void {
  void reply
    .header('content-type', mediaTypeOf(request.outputFormat))
    .header('request-id', reply.request.id)
    .header('character-cost', cost)
    .header('x-voice-engine', engine);
}
