import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { byStaff } from '@app/administration/audit/audit-actors';
import type { Page } from '../http/pagination';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ReasonBody } from '../http/reason';
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

  @Get('deliveries')
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
  @Get('deliveries/:delivery_id')
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Param('delivery_id') deliveryId: string,
  ): Promise<DeliveryDetailResponse> {
    return toDeliveryDetail(await this.deliveries.get(accountId, webhookId, deliveryId));
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
    const request = { actor: byStaff(staff), accountId, webhookId, reason };
    return toDeliveryDetail(await this.deliveries.replay(request, deliveryId));
  }

  @Post('replay')
  @HttpCode(202)
  @RequireStaff('accounts.write')
  async replayMany(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Body() { reason, ...selection }: ReplayBody,
  ): Promise<{ replayed: number; left: number }> {
    return this.deliveries.replayMany({ actor: byStaff(staff), accountId, webhookId, reason }, selection);
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
    const request = { actor: byStaff(staff), accountId, webhookId, reason };
    return toDeliveryDetail(await this.deliveries.test(request));
  }
}
