import { Controller, Get, HttpCode, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireScope } from '../http/route-access';
import { SpeechSocketQuery, toSocketOptions } from './speech-socket.dto';
import { SpeechSocketsService } from './speech-sockets.service';

/** Each text takes a slot of the account while it is spoken. A page can send no header, so its first message may name the key. */
const RequireSpeechSocket = () =>
  RequireScope('text_to_speech', { generates: true, isAdmittedLater: isHandshakeWithoutCredential });

/** WebSockets: text is sent bit by bit, and each sentence is spoken as soon as it is complete. */
@Controller('v1/text-to-speech')
export class PublicSpeechSocketsController {
  constructor(private readonly sockets: SpeechSocketsService) {}

  @Get(':voice_id/stream-input') // Open a WebSocket that speaks a text as it is written
  @HttpCode(101)
  @RequireSpeechSocket()
  async streamInput(
    @Param('voice_id') voiceId: string,
    @Query() query: SpeechSocketQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sockets.open(request, reply, toSocketOptions(query, { voiceId, isMulti: false }));
  }

  /** As above, for several texts at once, each in a separate context. */
  @Get(':voice_id/multi-stream-input') // Open a WebSocket that speaks several texts as they are written
  @HttpCode(101)
  @RequireSpeechSocket()
  async multiStreamInput(
    @Param('voice_id') voiceId: string,
    @Query() query: SpeechSocketQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sockets.open(request, reply, toSocketOptions(query, { voiceId, isMulti: true }));
  }
}

function isHandshakeWithoutCredential({ raw }: FastifyRequest): boolean {
  return raw.leaveNetwork !== undefined;
}
