import {
  AlertMessageRepository,
  DUE_MESSAGES,
  type ClaimedMessage,
  type DueMessage,
} from '@app/database/deliveries/alert-message.repository';
import type { Contact } from '@app/database/alerts/contact.entity';
import { ContactRepository } from '@app/database/alerts/contact.repository';
import type { ContactChannel } from '@app/domain/alerts/alert-rule';
import { LISTED_ALERTS } from '@app/domain/alerts/alert-text';
import { webhookRetryDelaySecs } from '@app/domain/webhooks/webhook-retry';
import { ALERT_SLOTS, SEND_ALERT_CHAT, SEND_ALERT_EMAIL } from '@app/queue/jobs';
import { Injectable } from '@nestjs/common';
import { AlertSenders } from './alert-senders';
import { DeliveryJobs } from './delivery-jobs';
import { DeliverySlots } from './delivery-slots';

/** `skipped`: another job has taken the message over, or it has ended. `postponed`: its contact or its account has its share of the slots. */
export type AlertOutcome = 'delivered' | 'retry' | 'failed' | 'cancelled' | 'skipped' | 'postponed';

/** The messages through each channel. */
export const MESSAGES = {
  email: { job: SEND_ALERT_EMAIL, table: DUE_MESSAGES.email },
  chat: { job: SEND_ALERT_CHAT, table: DUE_MESSAGES.chat },
} as const;

const STORED_CHARACTERS = 1_000;
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
    private readonly messages: AlertMessageRepository,
    private readonly contacts: ContactRepository,
    private readonly jobs: DeliveryJobs,
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
      return this.end(due, message, 'cancelled', 'the contact receives nothing any more');
    const slot = this.slots[message.channel].take(message.accountId ?? STAFF, contact.id);
    if ('delaySecs' in slot) return this.jobs.postpone(MESSAGES[message.channel], due, slot.delaySecs);
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
    if (problem === null) return this.end(due, message, 'delivered', null);
    return this.retry(due, message, problem.slice(0, STORED_CHARACTERS));
  }

  private async end(
    due: DueMessage,
    { channel }: ClaimedMessage,
    state: 'delivered' | 'cancelled',
    error: string | null,
  ): Promise<AlertOutcome> {
    return this.jobs.write(MESSAGES[channel], due, async (em) => {
      await this.messages.markDone(due.messageId, state, error, em);
      return state;
    });
  }

  /** As webhooks are: for a day. */
  private async retry(
    due: DueMessage,
    { channel, attempts }: ClaimedMessage,
    error: string,
  ): Promise<AlertOutcome> {
    return this.jobs.write(MESSAGES[channel], due, async (em, ageSecs) => {
      const delaySecs = webhookRetryDelaySecs(attempts + 1, ageSecs, Math.random());
      if (delaySecs === null) {
        await this.messages.markDone(due.messageId, 'failed', error, em);
        return 'failed';
      }
      await this.messages.noteFailure(due.messageId, error, em);
      await this.jobs.sendAgain(MESSAGES[channel], due, delaySecs, em);
      return 'retry';
    });
  }
}
