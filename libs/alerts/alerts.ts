import { AlertRepository, type Noticed, type RaisedAlert } from '@app/database/alerts/alert.repository';
import { AlertRuleRepository } from '@app/database/alerts/alert-rule.repository';
import { inOneTrip } from '@app/database/common/one-trip';
import { isReached, type AlertKind } from '@app/domain/alerts/alert-kinds';
import type { DisableReason } from '@app/domain/keys/disable-reasons';
import { WebhookEvents, type AccountAlert } from '@app/webhooks/webhook-events';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AlertMessages } from './alert-messages';

/** An event that people may be notified of. */
export interface Notice {
  kind: AlertKind;
  /** Null for what is about the installation. */
  accountId: string | null;
  keyId?: string | null;
  /** What is sent once in a period: the key, or else the account, by default. For example a key and a network. */
  subject?: string;
  /** Within it, each subject is sent once: an instant as ISO 8601, a day, `always` … */
  period: string;
  /** Compared with the thresholds of the rules, in their unit; every rule fires without one. */
  value?: number;
  /** What was noticed, with the names of the API; no secrets. Webhooks carry it as it is. */
  data: Record<string, unknown>;
}

interface DisabledKey {
  id: string;
  accountId: string;
  name: string;
  version: number;
}

/**
 * Sends people the alerts that the rules name: in the transaction that detects the cause, so that one is sent if and only if it
 * happened, and once for each rule, subject and period, however often it is noticed.
 */
@Injectable()
export class Alerts {
  constructor(
    private readonly rules: AlertRuleRepository,
    private readonly alerts: AlertRepository,
    private readonly messages: AlertMessages,
    private readonly webhooks: WebhookEvents,
  ) {}

  /** Notifies of one event, in the caller's transaction. Nothing happens when no rule for it is on. */
  async notice(em: EntityManager, notice: Notice): Promise<void> {
    await this.noticeAll(em, [notice]);
  }

  /** Notifies of several events, in the caller's transaction. */
  async noticeAll(em: EntityManager, notices: Notice[]): Promise<void> {
    if (notices.length === 0) return;
    const noticed = (await this.rules.listHolding(notices, em)).flatMap(({ index, id, threshold }) => {
      const { kind, accountId, keyId = null, subject, period, value, data } = notices[index]!;
      if (!isReached(kind, threshold, value)) return [];
      const notified = subject ?? keyId ?? accountId ?? 'installation';
      return [{ ruleId: id, accountId, keyId, subject: notified, period, data }];
    });
    await this.raise(noticed, em);
  }

  /** Keys do not work any more: webhooks receive the reason, and people an alert about a leak. */
  async keysDisabled(keys: DisabledKey[], disableReason: DisableReason, em: EntityManager): Promise<void> {
    await inOneTrip([
      this.webhooks.keysDisabled(keys, disableReason, em),
      this.keysLeaked(disableReason === 'exposed_publicly' ? keys : [], em),
    ]);
  }

  private async keysLeaked(keys: DisabledKey[], em: EntityManager): Promise<void> {
    const leaks = keys.map(({ id, accountId, version }) => ({
      kind: 'key_leaked' as const,
      accountId,
      keyId: id,
      // A key that is enabled again and leaks again is news.
      period: `version ${version}`,
      data: {},
    }));
    await this.noticeAll(em, leaks);
  }

  /** Notifies of what rules have noticed already; how many of them are news. However many there are, a contact gets one message. */
  async raise(noticed: Noticed[], em: EntityManager): Promise<number> {
    if (noticed.length === 0) return 0;
    const raised = await this.alerts.insertNew(noticed, em);
    if (raised.length === 0) return 0;
    await inOneTrip([this.messages.notify(raised, em), this.notifyWebhooks(raised, em)]);
    return raised.length;
  }

  private async notifyWebhooks(raised: RaisedAlert[], em: EntityManager): Promise<void> {
    const alerts = raised.filter(
      (alert): alert is AccountAlert => alert.accountId !== null && alert.channels.includes('webhook'),
    );
    await this.messages.record(await this.webhooks.alertsRaised(alerts, em), em);
  }
}
