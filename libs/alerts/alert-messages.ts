import { AlertMessageRepository, type DueMessage } from '@app/database/deliveries/alert-message.repository';
import type { RaisedAlert } from '@app/database/alerts/alert.repository';
import type { Contact } from '@app/database/alerts/contact.entity';
import { ContactRepository } from '@app/database/alerts/contact.repository';
import { alertKind, type AlertKind } from '@app/domain/alerts/alert-kinds';
import type { ContactChannel } from '@app/domain/alerts/alert-rule';
import { afterQuietHours } from '@app/domain/alerts/quiet-hours';
import { SEND_ALERT_CHAT, SEND_ALERT_EMAIL } from '@app/queue/jobs';
import { OutboxRepository } from '@app/queue/outbox.repository';
import type { NotifiedEndpoint } from '@app/webhooks/webhook-events';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** The job that sends through each channel. */
const JOBS = { email: SEND_ALERT_EMAIL, chat: SEND_ALERT_CHAT } as const;

const MINUTE_MS = 60_000;

/** Puts alerts into messages: one for each contact, to which more is added until it is sent. */
@Injectable()
export class AlertMessages {
  constructor(
    private readonly contacts: ContactRepository,
    private readonly messages: AlertMessageRepository,
    private readonly outbox: OutboxRepository,
  ) {}

  /** Sends every contact those of these alerts that it subscribes to. */
  async notify(alerts: RaisedAlert[], em: EntityManager): Promise<void> {
    const accountIds = [...new Set(alerts.flatMap(({ accountId }) => accountId ?? []))];
    const recipients = oncePerAddress(
      (await this.contacts.listRecipients(accountIds, em)).map((contact) => ({
        contact,
        subscribed: alerts.filter((alert) => subscribesTo(contact, alert)),
      })),
    );
    if (recipients.length === 0) return;
    const open = await this.messages.lockOpen(
      recipients.map(({ contact }) => contact.id),
      em,
    );
    for (const { contact, subscribed } of recipients) {
      const [kinds, alertIds] = [kindsIn(subscribed), subscribed.map(({ id }) => id)];
      const messageId = open.get(contact.id);
      if (messageId === undefined) await this.begin(contact, kinds, alertIds, em);
      else await this.messages.append(messageId, kinds, alertIds, em);
    }
  }

  /** Sends a contact a test message, regardless of the hour. */
  async test(contact: Contact, em: EntityManager): Promise<void> {
    const nothing = { kinds: [], alertIds: [], isClosed: true };
    const message = await this.messages.insert({ ...toMessage(contact), ...nothing }, em);
    await this.dispatch(contact.channel, message, 0, em);
  }

  /** Notes what webhooks carry, for the log. */
  async record(notified: NotifiedEndpoint[], em: EntityManager): Promise<void> {
    await this.messages.insertOfWebhooks(
      notified.map(({ accountId, endpointId, endpointName, deliveryId, alerts }) => ({
        accountId,
        recipientId: endpointId,
        recipient: endpointName,
        deliveryId,
        kinds: kindsIn(alerts),
        alertIds: alerts.map(({ id }) => id),
      })),
      em,
    );
  }

  private async dispatch(
    channel: ContactChannel,
    due: DueMessage,
    delaySecs: number,
    em: EntityManager,
  ): Promise<void> {
    await this.outbox.enqueueAll(JOBS[channel], [due], delaySecs, em);
  }

  private async begin(
    contact: Contact,
    kinds: AlertKind[],
    alertIds: string[],
    em: EntityManager,
  ): Promise<void> {
    const now = new Date();
    const gathered = new Date(now.getTime() + contact.gatherMinutes * MINUTE_MS);
    const dueAt = afterQuietHours(gathered, quietHoursOf(contact));
    const message = await this.messages.insert({ ...toMessage(contact), kinds, alertIds, dueAt }, em);
    await this.dispatch(contact.channel, message, (dueAt.getTime() - now.getTime()) / 1_000, em);
  }
}

interface Recipient {
  contact: Contact;
  subscribed: RaisedAlert[];
}

/** An address that several contacts have, such as one of an account and one of the installation, receives an alert once. */
function oncePerAddress(all: Recipient[]): Recipient[] {
  const sent = new Set<string>();
  const isFirst = ({ email, id }: Contact, alert: RaisedAlert) => {
    const pair = `${email ?? id} ${alert.id}`;
    return !sent.has(pair) && sent.add(pair);
  };
  return all
    .map(({ contact, subscribed }) => ({
      contact,
      subscribed: subscribed.filter((alert) => isFirst(contact, alert)),
    }))
    .filter(({ subscribed }) => subscribed.length > 0);
}

function subscribesTo(contact: Contact, { kind, accountId, channels }: RaisedAlert): boolean {
  return (
    channels.includes(contact.channel) &&
    contact.categories.includes(alertKind(kind).category) &&
    (contact.accountId === null || contact.accountId === accountId)
  );
}

function kindsIn(alerts: RaisedAlert[]): AlertKind[] {
  return [...new Set(alerts.map(({ kind }) => kind))].sort();
}

function quietHoursOf({ quietFrom, quietTo, timeZone }: Contact) {
  if (quietFrom === null || quietTo === null || timeZone === null) return null;
  return { from: quietFrom, to: quietTo, timeZone };
}

function toMessage({ id, accountId, channel, email, name }: Contact) {
  return { accountId, channel, recipientId: id, recipient: email ?? name, dueAt: new Date() };
}
