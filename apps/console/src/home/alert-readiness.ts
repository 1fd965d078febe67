import { alertKind, type AlertKind, type ContactCategory } from '@app/domain/alerts/alert-kinds';
import { silenceOf, type AlertChannel, type ContactChannel } from '@app/domain/alerts/alert-rule';
import { plural } from '../components/number';

interface Rule {
  kind: AlertKind;
  channels: AlertChannel[];
  enabled: boolean;
}

interface Contacts {
  items: { channel: ContactChannel; categories: ContactCategory[]; unsubscribed_at: string | null }[];
  mail_server: boolean;
}

/** What is on and would be sent to no contact of the installation: an alarm that looks healthy. */
export function unheardRules(rules: readonly Rule[], { items, mail_server }: Contacts) {
  const reached = items.filter((contact) => silenceOf(contact, mail_server) === null);
  const on = rules.filter(({ enabled }) => enabled);
  const unheard = on.filter(
    ({ kind, channels }) =>
      !reached.some(
        ({ channel, categories }) =>
          channels.includes(channel) && categories.includes(alertKind(kind).category),
      ),
  );
  if (unheard.length === 0) return [];
  const which = unheard.length === on.length ? '' : ` of ${on.length}`;
  return [
    {
      text: `${unheard.length}${which} ${plural(on.length, 'alert rule').replace(/^\S+ /, '')} that are on reach no contact: add one`,
      detail: mail_server ? undefined : 'E-mail contacts receive nothing: no mail server is set (SMTP_URL).',
      to: '/alerts',
      search: { do: 'contact' },
      verb: 'Add…',
    },
  ];
}
