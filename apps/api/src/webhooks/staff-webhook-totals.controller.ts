import { lastDays } from '@app/domain/common/utc-days';
import type { DeliveryDay } from '@app/database/deliveries/webhook-delivery.repository';
import { Controller, Get, Param } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { WebhookDeliveriesService } from './webhook-deliveries.service';

const DAYS = 30;

interface WebhookTotalsResponse {
  /** The first and the last day, in UTC; the last one is not over. */
  from: string;
  to: string;
  /** Days and states with deliveries; a delivery counts on the day of its event. */
  items: DeliveryDay[];
}

@Controller('admin/accounts/:account_id/webhook-deliveries')
export class StaffWebhookTotalsController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Get() // Get the deliveries of an account by day and state
  @RequireStaff('accounts.read')
  async get(@Param('account_id') accountId: string): Promise<WebhookTotalsResponse> {
    const days = lastDays(DAYS, new Date());
    return { ...days, items: await this.deliveries.countByDay(accountId, days) };
  }
}
