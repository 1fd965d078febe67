import { byCaller } from '@app/administration/audit/audit-actors';
import type { Caller } from '@app/domain/keys/caller';
import { WEBHOOK_EVENT_TYPES } from '@app/domain/webhooks/webhook-event';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import { RequireScope } from '../http/route-access';
import {
  CreateAccountWebhookBody,
  EditAccountWebhookBody,
  toAccountWebhookResponse,
  WebhookListQuery,
  type AccountWebhookResponse,
} from './account-webhook.dto';
import { WebhooksService, type WebhookTarget } from '@app/administration/webhooks/webhooks.service';

/** The webhooks of the caller's account: the service that staff use, with a key as the actor. */
@Controller('v1/workspace/webhooks')
export class PublicWebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get() // List the webhooks of the account
  @RequireScope('webhooks_write')
  async list(
    @CurrentCaller() { key }: Caller,
    @Query() _: WebhookListQuery,
  ): Promise<{ webhooks: AccountWebhookResponse[] }> {
    const endpoints = await this.webhooks.list(key.accountId);
    return { webhooks: endpoints.map(toAccountWebhookResponse) };
  }

  /** The request names no events: a new webhook receives all of them. */
  @Post() // Create a webhook: the response is the only one with its secret
  @HttpCode(200)
  @RequireScope('webhooks_write')
  async create(
    @CurrentCaller() caller: Caller,
    @Body() { settings: { name, webhook_url: url } }: CreateAccountWebhookBody,
  ): Promise<{ webhook_id: string; webhook_secret: string }> {
    const webhook = { name, url, events: [...WEBHOOK_EVENT_TYPES] };
    const { accountId } = caller.key;
    const { id, secret } = await this.webhooks.create(byCaller(caller), accountId, webhook, null);
    return { webhook_id: id, webhook_secret: secret };
  }

  @Patch(':webhook_id') // Edit, enable or disable a webhook
  @RequireScope('webhooks_write')
  async edit(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') webhookId: string,
    @Body() { name, is_disabled, events }: EditAccountWebhookBody,
  ): Promise<{ status: 'ok' }> {
    const edit = { name, events: events ?? undefined, enabled: !is_disabled };
    await this.webhooks.edit(toTarget(caller, webhookId), edit);
    return { status: 'ok' };
  }

  @Delete(':webhook_id') // Delete a webhook
  @RequireScope('webhooks_write')
  async delete(
    @CurrentCaller() caller: Caller,
    @Param('webhook_id') webhookId: string,
  ): Promise<{ status: 'ok' }> {
    await this.webhooks.delete(toTarget(caller, webhookId));
    return { status: 'ok' };
  }
}

function toTarget(caller: Caller, webhookId: string): WebhookTarget {
  const { accountId } = caller.key;
  return { actor: byCaller(caller), accountId, webhookId, expected: 'any', reason: null };
}
