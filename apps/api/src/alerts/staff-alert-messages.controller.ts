import { Controller, Get, Query } from '@nestjs/common';
import type { Page } from '../http/pagination';
import { RequireStaff } from '../http/staff-access';
import { AlertLogService } from './alert-log.service';
import {
  AlertMessageQuery,
  toMessageFilter,
  toMessageResponse,
  type AlertMessageResponse,
} from './alert-message.dto';

@Controller('admin/alert-messages')
export class StaffAlertMessagesController {
  constructor(private readonly log: AlertLogService) {}

  @Get() // List the messages about alerts, and to whom they went
  @RequireStaff('alerts.read')
  async list(@Query() query: AlertMessageQuery): Promise<Page<AlertMessageResponse>> {
    const page = await this.log.list(toMessageFilter(query), query);
    return { ...page, items: page.items.map(toMessageResponse) };
  }
}
