import { Controller, Get, Query } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { QueueTimesService } from './queue-times.service';
import {
  QueueTimesQuery,
  toQueueTimesResponse,
  toTimesStretch,
  type QueueTimesResponse,
} from './staff-queue-times.dto';

@Controller('admin/queues/times')
export class StaffQueueTimesController {
  constructor(private readonly times: QueueTimesService) {}

  /** From what was recorded of each review and webhook: the same on every backend, and independent of a lost queue. */
  @Get() // Get how long reviews or webhooks wait and take
  @RequireStaff('queues.read')
  async get(@Query() query: QueueTimesQuery): Promise<QueueTimesResponse> {
    const { minutes, stepMinutes } = toTimesStretch(query);
    return toQueueTimesResponse(await this.times.read(query.work, minutes, stepMinutes));
  }
}
