import type { Caller } from '@app/domain/keys/caller';
import { Controller, Delete, Get, Param, Query, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
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

  @Get()
  @RequireScope('speech_history_read')
  async list(@CurrentCaller() caller: Caller, @Query() query: HistoryQuery): Promise<HistoryResponse> {
    const filter = toHistoryFilter(query);
    if (!filter) return toHistoryResponse({ items: [], hasMore: false });
    const startAfter = query.start_after_history_item_id || null;
    return toHistoryResponse(await this.history.list(caller, filter, startAfter, Number(query.page_size)));
  }

  @Get(':history_item_id')
  @RequireScope('speech_history_read')
  async get(
    @CurrentCaller() caller: Caller,
    @Param('history_item_id') id: string,
  ): Promise<HistoryItemResponse> {
    return toHistoryItemResponse(await this.history.get(caller, id));
  }

  @Get(':history_item_id/audio')
  @Produces('audio/*')
  @RequireScope('speech_history_read')
  async getAudio(
    @CurrentCaller() caller: Caller,
    @Param('history_item_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const item = await this.history.get(caller, id);
    const audio = await this.history.readAudio(item);
    void reply.header('content-type', item.mediaType).header('cache-control', 'private, no-cache');
    const length = item.pieces.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return new StreamableFile(audio, { length });
  }

  @Delete(':history_item_id')
  @RequireScope('speech_history_write')
  async delete(
    @CurrentCaller() caller: Caller,
    @Param('history_item_id') id: string,
  ): Promise<{ status: 'ok' }> {
    await this.history.delete(caller, id);
    return { status: 'ok' };
  }
}
