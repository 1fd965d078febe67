import { ContactSecrets } from '@app/alerts/contact-secrets';
import { AppConfig } from '@app/config/app-config';
import type { ClaimedMessage } from '@app/database/deliveries/alert-message.repository';
import type { Contact } from '@app/database/alerts/contact.entity';
import { alertHook } from '@app/domain/alerts/alert-hook';
import { alertMail, type AlertDigest } from '@app/domain/alerts/alert-text';
import { Injectable } from '@nestjs/common';
import { postWebhook } from './post-webhook';
import { MailTransport } from './mail-transport';

const CHAT_TIMEOUT_MS = 10_000;

/** The ways to a contact. */
@Injectable()
export class AlertSenders {
  constructor(
    private readonly config: AppConfig,
    private readonly secrets: ContactSecrets,
    private readonly mail: MailTransport,
  ) {}

  /**
   * Sends once; why it failed, or null.
   *
   * @throws only when `signal` is aborted
   */
  async send(
    contact: Contact,
    message: ClaimedMessage,
    digest: AlertDigest,
    signal: AbortSignal,
  ): Promise<string | null> {
    try {
      if (contact.channel === 'email') await this.sendMail(contact, message, digest, signal);
      else return await this.postChat(contact, message, digest, signal);
      return null;
    } catch (error) {
      signal.throwIfAborted();
      return (error as Error).message;
    }
  }

  private async sendMail(
    { id, email }: Contact,
    message: ClaimedMessage,
    digest: AlertDigest,
    signal: AbortSignal,
  ): Promise<void> {
    const origin = this.config.mail?.publicUrl ?? '';
    const unsubscribeUrl = `${origin}/unsubscribe/${this.secrets.unsubscribeToken(id)}`;
    const messageId = `<alert-${message.id}@${origin === '' ? 'greenroom' : new URL(origin).hostname}>`;
    const mail = alertMail(digest, unsubscribeUrl);
    await this.mail.send({ ...mail, to: email ?? '', messageId, unsubscribeUrl }, signal);
  }

  /** Through the guard that keeps webhooks from internal addresses. */
  private async postChat(
    { id, sealedUrl }: Contact,
    message: ClaimedMessage,
    digest: AlertDigest,
    signal: AbortSignal,
  ): Promise<string | null> {
    const hook = alertHook(this.secrets.openUrl(id, sealedUrl ?? ''), digest, `alert-${message.id}`);
    const { error } = await postWebhook({
      url: hook.url,
      body: JSON.stringify(hook.body),
      headers: {
        ...hook.headers,
        'content-type': 'application/json',
        'user-agent': 'Greenroom-Alerts/1',
        // The same in every attempt, as the id of a mail.
        'webhook-id': `alert-${message.id}`,
      },
      allowPrivate: this.config.webhookPrivateNetworks === 'allow',
      signal,
      timeoutMs: CHAT_TIMEOUT_MS,
    });
    return error;
  }
}
