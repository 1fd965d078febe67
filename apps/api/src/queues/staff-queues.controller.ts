import { ReviewFlowRepository } from '@app/database/reviews/review-flow.repository';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { Produces } from '../http/produces';
import { byStaff } from '@app/administration/audit/audit-actors';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ReasonBody } from '../http/reason';
import { QuietWorkersService } from '@app/administration/workers/quiet-workers.service';
import { QueueEventsService } from './queue-events.service';
import { QueuesService } from './queues.service';
import {
  ThroughputQuery,
  toOverviewResponse,
  toQueueResponse,
  toStretch,
  toThroughputResponse,
  toWorkersResponse,
  type OverviewResponse,
  type QueueResponse,
  type ThroughputResponse,
  type WorkerResponse,
} from './staff-queue.dto';

@Controller('admin/queues')
export class StaffQueuesController {
  constructor(
    private readonly queues: QueuesService,
    private readonly flow: ReviewFlowRepository,
    private readonly queueEvents: QueueEventsService,
    private readonly quietWorkers: QuietWorkersService,
  ) {}

  @Get()
  @RequireStaff('queues.read')
  async overview(): Promise<OverviewResponse> {
    return toOverviewResponse(await this.queues.overview());
  }

  /** Reviews over the last minutes, as they were recorded: the same on every backend, and kept when a queue is lost. */
  @Get('throughput')
  @RequireStaff('queues.read')
  async throughput(@Query() query: ThroughputQuery): Promise<ThroughputResponse> {
    const { minutes, stepMinutes } = toStretch(query);
    return toThroughputResponse(await this.flow.listBuckets(minutes, stepMinutes), stepMinutes);
  }

  @Get('workers')
  @RequireStaff('queues.read')
  async workers(): Promise<{ items: WorkerResponse[] }> {
    return toWorkersResponse(await this.queues.listWorkers());
  }

  /** It finishes what it runs and takes nothing new, within about a second, until it is resumed or ends. */
  @Post('workers/:worker_id/quiet')
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async quietWorker(
    @CurrentStaff() staff: Staff,
    @Param('worker_id') worker: string,
    @Body() { reason }: ReasonBody,
  ): Promise<{ items: WorkerResponse[] }> {
    await this.quietWorkers.set(byStaff(staff), worker, true, reason);
    return this.workers();
  }

  @Post('workers/:worker_id/resume')
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async resumeWorker(
    @CurrentStaff() staff: Staff,
    @Param('worker_id') worker: string,
    @Body() { reason }: ReasonBody,
  ): Promise<{ items: WorkerResponse[] }> {
    await this.quietWorkers.set(byStaff(staff), worker, false, reason);
    return this.workers();
  }

  /**
   * Server-sent events, for as long as the reader may see the queues: `overview`, `workers` and `throughput`, each with
   * what the route of that name returns, whenever it has changed.
   */
  @Get('events')
  @Header('x-accel-buffering', 'no')
  @Produces('text/event-stream')
  @RequireStaff('queues.read')
  events(@CurrentStaff() staff: Staff, @Query() query: ThroughputQuery): StreamableFile {
    const stream = this.queueEvents.watch(staff, toStretch(query), {
      overview: toOverviewResponse,
      workers: toWorkersResponse,
      throughput: toThroughputResponse,
    });
    return new StreamableFile(stream, { type: 'text/event-stream; charset=utf-8' });
  }

  @Post(':queue/pause')
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async pause(
    @CurrentStaff() staff: Staff,
    @Param('queue') queue: string,
    @Body() { reason }: ReasonBody,
  ): Promise<QueueResponse> {
    return toQueueResponse(await this.queues.setPaused(byStaff(staff), queue, true, reason));
  }

  @Post(':queue/resume')
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async resume(
    @CurrentStaff() staff: Staff,
    @Param('queue') queue: string,
    @Body() { reason }: ReasonBody,
  ): Promise<QueueResponse> {
    return toQueueResponse(await this.queues.setPaused(byStaff(staff), queue, false, reason));
  }
}
