import { ApiKeyHook } from '@app/auth/api-key.hook';
import type { Caller } from '@app/domain/keys/caller';
import { Body, Controller, HttpCode, Param, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { CurrentCaller } from '../http/caller';
import { IdempotencyKey } from '../http/idempotency';
import { Produces } from '../http/produces';
import { RequireGeneration } from '../limits/require-generation';
import { SingleUseTokenHook } from '../single-use-tokens/single-use-token.hook';
import { SpeechRequests } from './speech-requests';
import { repeatSpeech, writeSpeechHeaders } from './speech-response';
import type { SpeechStream } from './speech-stream';
import { SpeechTimestamps, type SpeechWithTimestampsResponse } from './speech-timestamps';
import {
  StreamedSpeechQuery,
  TextToSpeechBody,
  TextToSpeechQuery,
  toSpeechInput,
} from './text-to-speech.dto';
import { TextToSpeechService } from './text-to-speech.service';

const JSON_TYPE = 'application/json; charset=utf-8';
const JSON_LINES_TYPE = 'application/x-ndjson';

@Controller('v1/text-to-speech')
export class PublicTextToSpeechController {
  constructor(
    private readonly speeches: TextToSpeechService,
    private readonly requests: SpeechRequests,
    private readonly keys: ApiKeyHook,
    private readonly tokens: SingleUseTokenHook,
  ) {}

  /** All of it or nothing: nothing is charged unless all of it was spoken. */
  @Post(':voice_id') // Speak a text with a voice
  @HttpCode(200)
  @Produces('audio/*')
  @RequireGeneration('text_to_speech')
  async convert(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
    @IdempotencyKey() key: string | null,
    @Body() body: TextToSpeechBody,
    @Query() query: TextToSpeechQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const speak = async () => {
      const speech = await this.speeches.prepare(caller, id, toSpeechInput(body, query));
      reply.server.unread.reserve(reply, speech.bytes);
      const parts = await this.speeches.speak(caller, speech);
      writeSpeechHeaders(reply, speech);
      const audio = parts.map(({ spoken }) => spoken.bytes);
      const length = audio.reduce((sum, { byteLength }) => sum + byteLength, 0);
      const response = new StreamableFile(Readable.from(audio, { objectMode: false }), { length });
      return { speech, response, isSent: true };
    };
    const request = { operation: 'convert', id, body, query };
    return this.requests.perform(caller, key, request, speak, (earlier) => repeatSpeech(reply, earlier));
  }

  /** As above, with when each character is spoken. */
  @Post(':voice_id/with-timestamps') // Speak a text, and say when each character is spoken
  @HttpCode(200)
  @RequireGeneration('text_to_speech')
  async convertWithTimestamps(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
    @IdempotencyKey() key: string | null,
    @Body() body: TextToSpeechBody,
    @Query() query: TextToSpeechQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SpeechWithTimestampsResponse> {
    const speak = async () => {
      const speech = await this.speeches.prepare(caller, id, toSpeechInput(body, query, { timed: true }));
      reply.server.unread.reserve(reply, speech.bytes);
      const parts = await this.speeches.speak(caller, speech);
      writeSpeechHeaders(reply, speech, JSON_TYPE);
      const response = new SpeechTimestamps(speech.request.outputFormat).toWhole(parts);
      return { speech, response, isSent: true };
    };
    return this.requests.perform(caller, key, { operation: 'convert timed', id, body, query }, speak, null);
  }

  /** Sentence by sentence, each sent as soon as it is spoken. A client that goes away pays for the sentences that were sent. */
  @Post(':voice_id/stream') // Stream a text as it is spoken, sentence by sentence
  @HttpCode(200)
  @Produces('audio/*')
  @RequireGeneration('text_to_speech')
  async stream(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
    @IdempotencyKey() key: string | null,
    @Body() body: TextToSpeechBody,
    @Query() query: StreamedSpeechQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const speak = async () => {
      const speech = await this.speeches.prepare(caller, id, toSpeechInput(body, query));
      const stream = await this.speeches.startStream(caller, speech, {
        admit: () => this.admitAgain(request),
        write: ({ spoken }) => spoken.bytes,
      });
      writeSpeechHeaders(reply, speech);
      return { speech, response: new StreamableFile(stream), isSent: isSentBy(stream) };
    };
    const requested = { operation: 'stream', id, body, query };
    return this.requests.perform(caller, key, requested, speak, (earlier) => repeatSpeech(reply, earlier));
  }

  /** As above, as lines of JSON of at most 32 KiB, each with when its characters are spoken in the whole. */
  @Post(':voice_id/stream/with-timestamps') // Stream a text, and say when each character is spoken
  @HttpCode(200)
  @Produces(JSON_LINES_TYPE)
  @RequireGeneration('text_to_speech')
  async streamWithTimestamps(
    @CurrentCaller() caller: Caller,
    @Param('voice_id') id: string,
    @IdempotencyKey() key: string | null,
    @Body() body: TextToSpeechBody,
    @Query() query: StreamedSpeechQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const speak = async () => {
      const speech = await this.speeches.prepare(caller, id, toSpeechInput(body, query, { timed: true }));
      const timestamps = new SpeechTimestamps(speech.request.outputFormat);
      const stream = await this.speeches.startStream(caller, speech, {
        admit: () => this.admitAgain(request),
        write: (part) => timestamps.toLines(part),
      });
      writeSpeechHeaders(reply, speech, JSON_LINES_TYPE);
      return { speech, response: new StreamableFile(stream), isSent: isSentBy(stream) };
    };
    return this.requests.perform(caller, key, { operation: 'stream timed', id, body, query }, speak, null);
  }

  /** @throws DomainError when the key, or that of the token, is not admitted any more */
  private async admitAgain(request: FastifyRequest): Promise<void> {
    await this.keys.admitAgain(request);
    await this.tokens.admitAgain(request);
  }
}

async function isSentBy(stream: SpeechStream): Promise<boolean> {
  await stream.settled;
  return stream.isSent;
}
