import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { Action, Change, type ActionByStaff, type ChangeByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import { CreateWebhookBody, EditWebhookBody, toWebhookResponse, type WebhookResponse } from './webhook.dto';
import { WebhooksService } from '@app/administration/webhooks/webhooks.service';

@Controller('admin/accounts/:account_id/webhooks')
export class StaffWebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get() // List webhooks
  @RequireStaff('accounts.read')
  async list(@Param('account_id') accountId: string): Promise<{ items: WebhookResponse[] }> {
    const endpoints = await this.webhooks.list(accountId);
    return { items: endpoints.map((endpoint) => toWebhookResponse(endpoint)) };
  }

  @Get(':webhook_id') // Get a webhook
  @RequireStaff('accounts.read')
  async get(
    @Param('account_id') accountId: string,
    @Param('webhook_id') id: string,
  ): Promise<WebhookResponse> {
    return this.webhookResponse(accountId, id);
  }

  /** The response is the only one with the secret. */
  @Post() // Create a webhook
  @RequireStaff('accounts.write')
  async create(
    @Param('account_id') accountId: string,
    @Action() { actor, reason }: ActionByStaff,
    @Body() { reason: _, ...webhook }: CreateWebhookBody,
  ): Promise<WebhookResponse> {
    const { id, secret } = await this.webhooks.create(actor, accountId, webhook, reason);
    return this.webhookResponse(accountId, id, secret);
  }

  @Patch(':webhook_id') // Edit a webhook
  @RequireStaff('accounts.write')
  async edit(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Change() change: ChangeByStaff,
    @Body() { reason: _, ...edit }: EditWebhookBody,
  ): Promise<WebhookResponse> {
    await this.webhooks.edit({ ...change, accountId, webhookId }, edit);
    return this.webhookResponse(accountId, webhookId);
  }

  /** The response is the only one with the new secret. */
  @Post(':webhook_id/rotate-secret') // Rotate the signing secret of a webhook
  @HttpCode(200)
  @RequireStaff('accounts.write')
  async rotateSecret(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Change() change: ChangeByStaff,
  ): Promise<WebhookResponse> {
    const target = { ...change, accountId, webhookId };
    return this.webhookResponse(accountId, webhookId, await this.webhooks.rotateSecret(target));
  }

  @Delete(':webhook_id') // Delete a webhook
  @HttpCode(204)
  @RequireStaff('accounts.write')
  async delete(
    @Param('account_id') accountId: string,
    @Param('webhook_id') webhookId: string,
    @Change() change: ChangeByStaff,
  ): Promise<void> {
    await this.webhooks.delete({ ...change, accountId, webhookId });
  }

  private async webhookResponse(accountId: string, id: string, secret?: string): Promise<WebhookResponse> {
    const endpoint = await this.webhooks.get(accountId, id);
    return toWebhookResponse(endpoint, secret);
  }
}
