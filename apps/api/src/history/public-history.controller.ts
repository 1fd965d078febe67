import type { Caller } from '@app/domain/keys/caller';
import { Controller, Delete, Get, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendAudio } from '../http/audio-response';
import type { ByteRange } from '../http/byte-range';
import { CurrentCaller } from '../http/caller';
import { Produces } from '../http/produces';
import { RequireScope } from '../http/route-access';
import {
  HistoryQuery,
  toHistoryFilter,
  toHistoryItemResponse,
  toHistoryResponse,
  type HistoryItemResponse,
  type HistoryResponse,
} from './history.dto';
import { HistoryService } from './history.service';

@Controller('v1/history')
export class PublicHistoryController {
  constructor(private readonly history: HistoryService) {}

  @Get() // List what voices have spoken
  @RequireScope('speech_history_read')
  async list(@CurrentCaller() caller: Caller, @Query() query: HistoryQuery): Promise<HistoryResponse> {
    const filter = toHistoryFilter(query);
    if (!filter) return toHistoryResponse({ items: [], hasMore: false });
    const startAfter = query.start_after_history_item_id || null;
    return toHistoryResponse(await this.history.list(caller, filter, startAfter, Number(query.page_size)));
  }

  @Get(':history_item_id') // Get what a voice has spoken
  @RequireScope('speech_history_read')
  async get(
    @CurrentCaller() caller: Caller,
    @Param('history_item_id') id: string,
  ): Promise<HistoryItemResponse> {
    return toHistoryItemResponse(await this.history.get(caller, id));
  }

  @Get(':history_item_id/audio') // Get the audio of what a voice has spoken
  @Produces('audio/*')
  @RequireScope('speech_history_read')
  async getAudio(
    @CurrentCaller() caller: Caller,
    @Param('history_item_id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    const recording = await this.history.getAudio(await this.history.get(caller, id));
    const read = async (range?: ByteRange) => {
      const length = range ? range.end - range.start + 1 : recording.sizeBytes;
      return new StreamableFile(await recording.read(range), { length });
    };
    return sendAudio(request, reply, { ...recording, read }, { isStreamed: true });
  }

  @Delete(':history_item_id') // Delete what a voice has spoken, with its audio
  @RequireScope('speech_history_write')
  async delete(
    @CurrentCaller() caller: Caller,
    @Param('history_item_id') id: string,
  ): Promise<{ status: 'ok' }> {
    await this.history.delete(caller, id);
    return { status: 'ok' };
  }
}
