import { Controller, Get, Param, Query } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { QueueJobsService } from './queue-jobs.service';
import {
  QueueJobsQuery,
  toJobHistoryResponse,
  toQueuedJobResponse,
  type JobHistoryResponse,
  type QueuedJobResponse,
} from './staff-queue-jobs.dto';

@Controller('admin/queues/:queue/jobs')
export class StaffQueueJobsController {
  constructor(private readonly jobs: QueueJobsService) {}

  /** As the queue itself knows them, the newest 50: reviews that wait for their turn are in no queue yet. */
  @Get() // List single jobs of a queue
  @RequireStaff('queues.read')
  async list(
    @Param('queue') queue: string,
    @Query() { state }: QueueJobsQuery,
  ): Promise<{ items: QueuedJobResponse[] }> {
    return { items: (await this.jobs.list(queue, state)).map(toQueuedJobResponse) };
  }

  /** From what was recorded: independent of the queue, which may have lost or removed its job. */
  @Get(':subject_id') // Get what happened to a review, a webhook delivery or a message
  @RequireStaff('queues.read')
  async get(@Param('queue') queue: string, @Param('subject_id') id: string): Promise<JobHistoryResponse> {
    return toJobHistoryResponse(await this.jobs.get(queue, id));
  }
}
