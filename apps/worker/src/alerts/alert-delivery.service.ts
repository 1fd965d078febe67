import { AlertMessages } from '@app/alerts/alert-messages';
import {
  AlertMessageRepository,
  type ClaimedMessage,
  type DueMessage,
} from '@app/database/alerts/alert-message.repository';
import type { Contact } from '@app/database/alerts/contact.entity';
import { ContactRepository } from '@app/database/alerts/contact.repository';
import type { ContactChannel } from '@app/domain/alerts/alert-rule';
import { LISTED_ALERTS } from '@app/domain/alerts/alert-text';
import { webhookRetryDelaySecs } from '@app/domain/webhooks/webhook-retry';
import { ALERT_SLOTS } from '@app/queue/jobs';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { DeliverySlots } from '../delivery-slots';
import { AlertSenders } from './alert-senders';

/** `skipped`: another job has taken the message over, or it has ended. `postponed`: its contact or its account has its share of the slots. */
export type AlertOutcome = 'delivered' | 'retry' | 'failed' | 'cancelled' | 'skipped' | 'postponed';

const KEPT_CHARACTERS = 1_000;
/** Stands for an account where alerts go to staff. */
const STAFF = 'staff';

/** Sends a message to one contact, and writes down what became of it. */
@Injectable()
export class AlertDeliveryService {
  /** Attempts in this process since it began, by channel and outcome. */
  readonly outcomes: Record<ContactChannel, Map<AlertOutcome, number>> = {
    email: new Map(),
    chat: new Map(),
  };
  private readonly slots = {
    email: new DeliverySlots(ALERT_SLOTS),
    chat: new DeliverySlots(ALERT_SLOTS),
  } satisfies Record<ContactChannel, DeliverySlots>;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly messages: AlertMessageRepository,
    private readonly contacts: ContactRepository,
    private readonly jobs: AlertMessages,
    private readonly senders: AlertSenders,
  ) {}

  /** Makes one attempt. At least once: a worker that dies between sending and writing it down sends again, under the same id. */
  async deliver(due: DueMessage, signal: AbortSignal): Promise<AlertOutcome> {
    const message = await this.messages.claim(due);
    if (!message) return 'skipped';
    const outcome = await this.attempt(due, message, signal);
    const counts = this.outcomes[message.channel];
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    return outcome;
  }

  private async attempt(
    due: DueMessage,
    message: ClaimedMessage,
    signal: AbortSignal,
  ): Promise<AlertOutcome> {
    const contact = await this.contacts.find(message.recipientId);
    if (!contact || contact.unsubscribedAt)
      return this.end(due, 'cancelled', 'the contact hears nothing more');
    const slot = this.slots[message.channel].take(message.accountId ?? STAFF, contact.id);
    if ('delaySecs' in slot) return this.postpone(due, message, slot.delaySecs);
    try {
      return await this.send(due, message, contact, signal);
    } finally {
      slot.release();
    }
  }

  private async send(
    due: DueMessage,
    message: ClaimedMessage,
    contact: Contact,
    signal: AbortSignal,
  ): Promise<AlertOutcome> {
    const listed = await this.messages.listAlerts(message.id, LISTED_ALERTS);
    const problem = await this.senders.send(contact, message, { total: message.alerts, listed }, signal);
    if (problem === null) return this.end(due, 'delivered', null);
    return this.retry(due, message, problem.slice(0, KEPT_CHARACTERS));
  }

  /** Not an attempt: nothing was sent. */
  private async postpone(
    due: DueMessage,
    { channel }: ClaimedMessage,
    mostSecs: number,
  ): Promise<AlertOutcome> {
    const delaySecs = mostSecs * (1 + Math.random());
    return this.dataSource.transaction(async (em) => {
      if ((await this.messages.lockClaimed(due, em)) === null) return 'skipped';
      const next = await this.messages.postpone(due.messageId, { delaySecs, error: null }, em);
      await this.jobs.dispatch(channel, [next], delaySecs, em);
      return 'postponed';
    });
  }

  private async end(
    due: DueMessage,
    state: 'delivered' | 'failed' | 'cancelled',
    error: string | null,
  ): Promise<AlertOutcome> {
    return this.dataSource.transaction(async (em) => {
      if ((await this.messages.lockClaimed(due, em)) === null) return 'skipped';
      await this.messages.markDone(due.messageId, state, error, em);
      return state;
    });
  }

  /** As webhooks are: for a day. */
  private async retry(due: DueMessage, message: ClaimedMessage, error: string): Promise<AlertOutcome> {
    return this.dataSource.transaction(async (em) => {
      const ageSecs = await this.messages.lockClaimed(due, em);
      if (ageSecs === null) return 'skipped';
      const delaySecs = webhookRetryDelaySecs(message.attempts + 1, ageSecs, Math.random());
      if (delaySecs === null) {
        await this.messages.markDone(due.messageId, 'failed', error, em);
        return 'failed';
      }
      const next = await this.messages.postpone(due.messageId, { delaySecs, error }, em);
      await this.jobs.dispatch(message.channel, [next], delaySecs, em);
      return 'retry';
    });
  }
}
