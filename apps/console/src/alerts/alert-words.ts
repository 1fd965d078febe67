import { alertKind, type AlertKind, type ContactCategory } from '@app/domain/alerts/alert-kinds';
import type { AlertChannel } from '@app/domain/alerts/alert-rule';
import { formatNumber } from '../components/number';

/** What a contact can subscribe to. */
export const CATEGORY_NAMES: Record<ContactCategory, string> = {
  credits: 'Credits: used up, running out, unusual use',
  keys: 'Keys: expiring, rotated, not used',
  security: 'Security: leaks, refusals, new networks',
  operations: 'Operations: waiting reviews, dead letters, failing receivers',
};

export const CHANNEL_NAMES: Record<AlertChannel, string> = {
  webhook: 'Webhooks of the account',
  email: 'E-mail',
  chat: 'Chat hooks',
};

/** What a rule watches and when it fires, in words. */
export function ruleName({ kind, threshold }: { kind: AlertKind; threshold: number | null }): string {
  return `${alertKind(kind).name} ${thresholdText(kind, threshold)}`;
}

/** When a rule fires, in words. */
export function thresholdText(kind: AlertKind, threshold: number | null): string {
  const accepted = alertKind(kind).threshold;
  if (accepted === null || threshold === null) return 'each time';
  const amount = formatNumber(threshold);
  const unit = threshold === 1 ? accepted.unit.replace(/s$/, '') : accepted.unit;
  if (accepted.unit === 'percent') return `at ${amount} %`;
  if (accepted.unit === 'times') return `${amount} times the usual`;
  return accepted.when === 'within' ? `within ${amount} ${unit}` : `from ${amount} ${unit}`;
}
