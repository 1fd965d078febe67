import type { AlertMessageFilter, LoggedMessage } from '@app/database/deliveries/alert-message.repository';
import { ALERT_MESSAGE_STATES, type AlertMessageState } from '@app/database/deliveries/alert-message.entity';
import { ALERT_KIND_NAMES, type AlertKind } from '@app/domain/alerts/alert-kinds';
import { ALERT_CHANNELS, type AlertChannel } from '@app/domain/alerts/alert-rule';
import { alertSentence } from '@app/domain/alerts/alert-text';
import { toTime } from '@app/domain/common/times';
import { isUuid } from '@app/domain/common/uuid';
import { checkTime } from '../http/common-checks';
import { CheckedField, EnumField, StringField } from '../http/fields';
import { PageQuery } from '../http/pagination';
import { invalid } from '../http/wire-problem';

const MAYBE = { optional: true };

export class AlertMessageQuery extends PageQuery {
  @StringField({ optional: true, max: 36 })
  account_id?: string;

  @EnumField(ALERT_KIND_NAMES, MAYBE)
  kind?: AlertKind;

  @EnumField(ALERT_CHANNELS, MAYBE)
  channel?: AlertChannel;

  @EnumField(ALERT_MESSAGE_STATES, MAYBE)
  state?: AlertMessageState;

  /** Inclusive. */
  @CheckedField(checkTime, MAYBE)
  from?: string;

  /** Exclusive. */
  @CheckedField(checkTime, MAYBE)
  to?: string;
}

export function toMessageFilter(query: AlertMessageQuery): AlertMessageFilter {
  const { account_id: accountId, kind, channel, state, from, to } = query;
  if (accountId !== undefined && !isUuid(accountId)) {
    const accepted = 'the id of an account';
    const msg = `Input should be ${accepted}`;
    throw invalid('query', {
      type: 'uuid_parsing',
      path: ['account_id'],
      msg,
      input: accountId,
      ctx: { accepted },
    });
  }
  return { accountId, kind, channel, state, from: toTime(from), to: toTime(to) };
}

export interface AlertMessageResponse {
  id: string;
  account_id: string | null;
  account_name: string | null;
  channel: AlertChannel;
  /** The contact, or the webhook. */
  recipient_id: string;
  recipient: string;
  kinds: AlertKind[];
  /** How many alerts are in it; 0 is a test. */
  alerts: number;
  /** The first alert, in a sentence. */
  summary: string;
  state: AlertMessageState;
  attempts: number;
  /** Of a pending one. */
  due_at: string | null;
  last_error: string | null;
  delivered_at: string | null;
  created_at: string;
}

export function toMessageResponse(message: LoggedMessage): AlertMessageResponse {
  return {
    id: message.id,
    account_id: message.accountId,
    account_name: message.accountName,
    channel: message.channel,
    recipient_id: message.recipientId,
    recipient: message.recipient,
    kinds: message.kinds,
    alerts: message.alerts,
    summary: message.first ? alertSentence(message.first) : 'A test message.',
    state: message.state,
    attempts: message.attempts,
    due_at: message.state === 'pending' ? message.dueAt.toISOString() : null,
    last_error: message.lastError,
    delivered_at: message.deliveredAt?.toISOString() ?? null,
    created_at: message.createdAt.toISOString(),
  };
}
