import { mediaTypeOf } from '@app/audio/codecs/encode-audio';
import { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { writeSyntheticMark } from '../http/synthetic-mark';
import { writeUnspoken } from '../text-to-voice/unspoken-header';
import type { Speech } from './speech';
import type { EarlierSpeech } from './speech-requests';

/** Writes the headers of speech: what it costs when it is heard to its end, its format and who speaks. */
export function writeSpeechHeaders(
  reply: FastifyReply,
  { cost, request, engine, unspoken, mark, draft }: Speech,
  mediaType = mediaTypeOf(request.outputFormat),
): void {
  void reply
    .header('content-type', mediaType)
    .header('request-id', reply.request.id)
    .header('character-cost', cost)
    .header('x-voice-engine', engine);
  writeUnspoken(reply, unspoken());
  writeSyntheticMark(reply, mark);
  if (draft) void reply.header('history-item-id', draft.item.id);
}

/** Sends again what was spoken before, which is not charged again. */
export function repeatSpeech(
  reply: FastifyReply,
  { audio, mediaType, sizeBytes, mark, cost, historyItemId }: EarlierSpeech,
): StreamableFile {
  void reply
    .header('content-type', mediaType)
    .header('request-id', reply.request.id)
    .header('character-cost', cost)
    .header('history-item-id', historyItemId);
  writeSyntheticMark(reply, mark);
  return new StreamableFile(audio, { length: sizeBytes });
}
