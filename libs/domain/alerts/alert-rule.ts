import { alertKind, type AlertKind } from './alert-kinds';

/** What a rule holds for, widest first. */
export const ALERT_SCOPES = ['installation', 'tier', 'account', 'key'] as const;
export type AlertScope = (typeof ALERT_SCOPES)[number];

/**
 * Where a rule notifies: the webhooks of the account, the e-mail contacts, and the Slack-compatible hooks of the account and of
 * the installation.
 */
export const ALERT_CHANNELS = ['webhook', 'email', 'chat'] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];

/** How a contact is reached: by e-mail, or through a Slack-compatible hook. */
export const CONTACT_CHANNELS = ['email', 'chat'] as const;
export type ContactChannel = (typeof CONTACT_CHANNELS)[number];

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
