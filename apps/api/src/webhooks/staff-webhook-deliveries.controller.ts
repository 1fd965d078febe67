import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { Page } from '../http/pagination';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ReasonBody } from '../http/reason';
import { WebhookDeliveriesService } from './webhook-deliveries.service';
import { DeliveryQuery, ReplayBody, type DeliveryResponse, type DeliveryDetailResponse } from './webhook.dto';

@Controller('admin/accounts/:account_id/webhooks/:webhook_id')
export class StaffWebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Get('deliveries')
  @RequireStaff('accounts.read')
  async list(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Query() query: DeliveryQuery,
  ): Promise<Page<DeliveryResponse>> {
    return this.deliveries.list(accountId, webhookId, query);
  }

  /** With the body that was sent and every attempt. */
  @Get('deliveries/:delivery_id')
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
  ): Promise<DeliveryDetailResponse> {
    return this.deliveries.get(accountId, webhookId, deliveryId);
  }

  @Post('deliveries/:delivery_id/replay')
  @HttpCode(202)
  @RequireStaff('accounts.write')
  async replay(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
    @Body() { reason }: ReasonBody,
  ): Promise<DeliveryDetailResponse> {
    return this.deliveries.replay(staff, { accountId, webhookId, deliveryId }, reason);
  }

  @Post('replay')
  @HttpCode(202)
  @RequireStaff('accounts.write')
  async replayMany(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Body() body: ReplayBody,
  ): Promise<{ replayed: number; left: number }> {
    return this.deliveries.replayMany(staff, { accountId, webhookId }, body);
  }

  @Post('test')
  @HttpCode(202)
  @RequireStaff('accounts.write')
  async test(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Body() { reason }: ReasonBody,
  ): Promise<DeliveryDetailResponse> {
    return this.deliveries.test(staff, accountId, webhookId, reason);
  }
}
