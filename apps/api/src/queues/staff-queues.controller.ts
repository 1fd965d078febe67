import { ReviewFlowRepository } from '@app/database/reviews/review-flow.repository';
import { Controller, Get, Header, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { Action, type ActionByStaff } from '../http/change';
import { Produces } from '../http/produces';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
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

  @Get() // Get the state of all queues
  @RequireStaff('queues.read')
  async overview(): Promise<OverviewResponse> {
    return toOverviewResponse(await this.queues.overview());
  }

  /** Reviews over the last minutes, as they were recorded: the same on every backend, and independent of a lost queue. */
  @Get('throughput') // Get throughput and failures over time
  @RequireStaff('queues.read')
  async throughput(@Query() query: ThroughputQuery): Promise<ThroughputResponse> {
    const { minutes, stepMinutes } = toStretch(query);
    return toThroughputResponse(await this.flow.listBuckets(minutes, stepMinutes), stepMinutes);
  }

  @Get('workers') // List workers and what they are doing
  @RequireStaff('queues.read')
  async workers(): Promise<{ items: WorkerResponse[] }> {
    return toWorkersResponse(await this.queues.listWorkers());
  }

  /** It finishes what it runs and takes nothing new, within about a second, until it is resumed or ends. */
  @Post('workers/:worker_id/quiet') // Let a worker finish and take nothing new
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async quietWorker(
    @Param('worker_id') worker: string,
    @Action() { actor, reason }: ActionByStaff,
  ): Promise<{ items: WorkerResponse[] }> {
    await this.quietWorkers.set(actor, worker, true, reason);
    return this.workers();
  }

  @Post('workers/:worker_id/resume') // Let a quiet worker take jobs again
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async resumeWorker(
    @Param('worker_id') worker: string,
    @Action() { actor, reason }: ActionByStaff,
  ): Promise<{ items: WorkerResponse[] }> {
    await this.quietWorkers.set(actor, worker, false, reason);
    return this.workers();
  }

  /**
   * Server-sent events, for as long as the reader may see the queues: `overview`, `workers` and `throughput`, each with
   * what the route of that name returns, whenever it has changed.
   */
  @Get('events') // Follow the state of all queues (server-sent events)
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

  @Post(':queue/pause') // Pause a queue
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async pause(
    @Param('queue') queue: string,
    @Action() { actor, reason }: ActionByStaff,
  ): Promise<QueueResponse> {
    return toQueueResponse(await this.queues.setPaused(actor, queue, true, reason));
  }

  @Post(':queue/resume') // Resume a queue
  @HttpCode(200)
  @RequireStaff('queues.pause')
  async resume(
    @Param('queue') queue: string,
    @Action() { actor, reason }: ActionByStaff,
  ): Promise<QueueResponse> {
    return toQueueResponse(await this.queues.setPaused(actor, queue, false, reason));
  }
}
