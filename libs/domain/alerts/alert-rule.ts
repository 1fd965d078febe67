import { checkBoolean, checkEnum, checkList, checkNumber, orNullCheck } from '../common/field-checks';
import { ALERT_KIND_NAMES, alertKind, WIDEST_THRESHOLD, type AlertKind } from './alert-kinds';

/** What a rule holds for, widest first. */
export const ALERT_SCOPES = ['installation', 'tier', 'account', 'key'] as const;
export type AlertScope = (typeof ALERT_SCOPES)[number];

/**
 * Where a rule notifies: the webhooks of the account, the e-mail contacts, and the hooks of the account and of
 * the installation.
 */
export const ALERT_CHANNELS = ['webhook', 'email', 'chat'] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];

/** What the settings of a rule accept wherever one is written; whether they fit its kind is what `ruleProblems` says, with the kind's bounds. */
export const ALERT_RULE_CHECKS = {
  kind: checkEnum(ALERT_KIND_NAMES),
  threshold: orNullCheck(Object.assign(checkNumber({}), { schema: checkNumber(WIDEST_THRESHOLD).schema })),
  channels: checkList(checkEnum(ALERT_CHANNELS), { max: ALERT_CHANNELS.length }),
  enabled: checkBoolean,
};

/** How a contact is reached: by e-mail, or through a hook: `alertHook`. */
export const CONTACT_CHANNELS = ['email', 'chat'] as const;
export type ContactChannel = (typeof CONTACT_CHANNELS)[number];

/** Why a contact receives nothing; null when it does. */
export function silenceOf(
  contact: { channel: ContactChannel; unsubscribed_at: string | null },
  hasMailServer: boolean,
): string | null {
  if (contact.unsubscribed_at !== null) return 'unsubscribed';
  return contact.channel === 'email' && !hasMailServer ? 'never: no mail server is set (SMTP_URL)' : null;
}

/** Channels through which a rule of this kind can notify: what is about the installation has no account with webhooks. */
export function channelsOf(kind: AlertKind): AlertChannel[] {
  return ALERT_CHANNELS.filter(
    (channel) => channel !== 'webhook' || alertKind(kind).about !== 'installation',
  );
}

/** Scopes that a rule of this kind can have. */
export function scopesOf(kind: AlertKind): AlertScope[] {
  const { about } = alertKind(kind);
  return about === 'installation' ? ['installation'] : [...ALERT_SCOPES];
}
