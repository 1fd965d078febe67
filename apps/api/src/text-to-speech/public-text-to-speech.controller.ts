import type { Caller } from '@app/domain/keys/caller';
import { Body, Controller, HttpCode, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { CurrentCaller } from '../http/caller';
import { Produces } from '../http/produces';
import { RequireGeneration } from '../limits/require-generation';
import { writeSpeechHeaders } from './speech-response';
import { TextToSpeechBody, TextToSpeechQuery, toSpeechInput } from './text-to-speech.dto';
import { TextToSpeechService } from './text-to-speech.service';

@Controller('v1/text-to-speech')
export class PublicTextToSpeechController {
  constructor(private readonly speeches: TextToSpeechService) {}

  /** All of it or nothing: nothing is charged unless all of it was spoken. */
  @Post(':voice_id')
  @HttpCode(200)
  @Produces('audio/*')
  @RequireGeneration('text_to_speech')
  async convert(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
    @Body() body: TextToSpeechBody,
    @Query() query: TextToSpeechQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const speech = await this.speeches.prepare(caller, id, toSpeechInput(body, query));
    reply.server.unread.reserve(reply, speech.bytes);
    const audio = await this.speeches.speak(caller, speech);
    writeSpeechHeaders(reply, speech);
    const length = audio.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return new StreamableFile(Readable.from(audio, { objectMode: false }), { length });
  }

  /** Sentence by sentence, each sent as soon as it is spoken. A client that goes away pays for the sentences that were sent. */
  @Post(':voice_id/stream')
  @HttpCode(200)
  @Produces('audio/*')
  @RequireGeneration('text_to_speech')
  async stream(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
    @Body() body: TextToSpeechBody,
    @Query() query: TextToSpeechQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const speech = await this.speeches.prepare(caller, id, toSpeechInput(body, query));
    const stream = await this.speeches.startStream(caller, speech);
    writeSpeechHeaders(reply, speech);
    return new StreamableFile(stream);
  }
}
