import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Action, type ActionByStaff } from '../http/change';
import type { Page } from '../http/pagination';
import { RequireStaff } from '../http/staff-access';
import { WebhookDeliveriesService } from './webhook-deliveries.service';
import {
  DeliveryQuery,
  ReplayBody,
  toDeliveryDetail,
  toDeliveryResponse,
  type DeliveryDetailResponse,
  type DeliveryResponse,
} from './webhook.dto';

@Controller('admin/accounts/:account_id/webhooks/:webhook_id')
export class StaffWebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveriesService) {}

  @Get('deliveries') // List deliveries
  @RequireStaff('accounts.read')
  async list(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Query() query: DeliveryQuery,
  ): Promise<Page<DeliveryResponse>> {
    const page = await this.deliveries.list(accountId, webhookId, query);
    return { ...page, items: page.items.map(toDeliveryResponse) };
  }

  /** With the body that was sent and every attempt. */
  @Get('deliveries/:delivery_id') // Get a delivery
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
  ): Promise<DeliveryDetailResponse> {
    return toDeliveryDetail(await this.deliveries.get(accountId, webhookId, deliveryId));
  }

  @Post('deliveries/:delivery_id/replay') // Replay a delivery
  @HttpCode(202)
  @RequireStaff('accounts.write')
  async replay(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
    @Action() action: ActionByStaff,
  ): Promise<DeliveryDetailResponse> {
    const request = { ...action, accountId, webhookId };
    return toDeliveryDetail(await this.deliveries.replay(request, deliveryId));
  }

  @Post('replay') // Replay many deliveries
  @HttpCode(202)
  @RequireStaff('accounts.write')
  async replayMany(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Action() action: ActionByStaff,
    @Body() { reason: _, ...selection }: ReplayBody,
  ): Promise<{ replayed: number; left: number }> {
    return this.deliveries.replayMany({ ...action, accountId, webhookId }, selection);
  }

  @Post('test') // Send a test event
  @HttpCode(202)
  @RequireStaff('accounts.write')
  async test(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Action() action: ActionByStaff,
  ): Promise<DeliveryDetailResponse> {
    const request = { ...action, accountId, webhookId };
    return toDeliveryDetail(await this.deliveries.test(request));
  }
}
