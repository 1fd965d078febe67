import {
  ALERT_MESSAGE_STATES,
  type AlertMessageFilter,
  type AlertMessageState,
  type LoggedMessage,
} from '@app/database/deliveries/alert-message.repository';
import { ALERT_KIND_NAMES, type AlertKind } from '@app/domain/alerts/alert-kinds';
import { ALERT_CHANNELS, type AlertChannel } from '@app/domain/alerts/alert-rule';
import { alertSentence } from '@app/domain/alerts/alert-text';
import { toTime } from '@app/domain/common/times';
import { isUuid } from '@app/domain/common/uuid';
import { choose } from '../http/choose';
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

export interface AlertMessageResponse extends ReturnType<typeof toMessageResponse> {}

export function toMessageResponse(message: LoggedMessage) {
  return {
    ...choose(message, 'id', 'accountId', 'accountName', 'channel'),
    /** The contact, or the webhook. */
    recipient_id: message.recipientId,
    ...choose(message, 'recipient', 'kinds'),
    /** How many alerts are in it; 0 is a test. */
    alerts: message.alerts,
    /** The first alert, in a sentence. */
    summary: message.first ? alertSentence(message.first) : 'A test message.',
    ...choose(message, 'state', 'attempts'),
    /** Of a pending one. */
    due_at: message.state === 'pending' ? message.dueAt.toISOString() : null,
    ...choose(message, 'lastError', 'deliveredAt', 'createdAt'),
  };
}
