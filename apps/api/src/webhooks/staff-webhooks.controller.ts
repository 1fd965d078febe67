import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ReasonBody } from '../http/reason';
import { CreateWebhookBody, EditWebhookBody, toWebhookResponse, type WebhookResponse } from './webhook.dto';
import { WebhooksService } from '@app/administration/webhooks/webhooks.service';

@Controller('admin/accounts/:account_id/webhooks')
export class StaffWebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @RequireStaff('accounts.read')
  async list(@Param('account_id') accountId: string): Promise<{ items: WebhookResponse[] }> {
    const endpoints = await this.webhooks.list(accountId);
    return { items: endpoints.map((endpoint) => toWebhookResponse(endpoint)) };
  }

  @Get(':webhook_id')
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') accountId: string,
    @Param('webhook_id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookResponse> {
    return this.answer(reply, accountId, id);
  }

  /** The response is the only one with the secret. */
  @Post()
  @RequireStaff('accounts.write')
  async create(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Body() { reason, ...webhook }: CreateWebhookBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookResponse> {
    const { id, secret } = await this.webhooks.create(byStaff(staff), accountId, webhook, reason);
    return this.answer(reply, accountId, id, secret);
  }

  @Patch(':webhook_id')
  @RequireStaff('accounts.write')
  async edit(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, ...edit }: EditWebhookBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookResponse> {
    await this.webhooks.edit({ actor: byStaff(staff), accountId, webhookId, expected, reason }, edit);
    return this.answer(reply, accountId, webhookId);
  }

  /** The response is the only one with the new secret. */
  @Post(':webhook_id/rotate-secret')
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async rotateSecret(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookResponse> {
    const target = { actor: byStaff(staff), accountId, webhookId, expected, reason };
    return this.answer(reply, accountId, webhookId, await this.webhooks.rotateSecret(target));
  }

  @Delete(':webhook_id')
  @HttpCode(204)
  @RequireStaff('accounts.write')
  async delete(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
  ): Promise<void> {
    await this.webhooks.delete({ actor: byStaff(staff), accountId, webhookId, expected, reason });
  }

  private async answer(
    reply: FastifyReply,
    accountId: string,
    id: string,
    secret?: string,
  ): Promise<WebhookResponse> {
    const endpoint = await this.webhooks.get(accountId, id);
    void reply.header('etag', etagOf(endpoint.version));
    return toWebhookResponse(endpoint, secret);
  }
}
