import type { ContactEdit, NewContact } from '@app/administration/alerts/contacts.service';
import type { Contact } from '@app/database/alerts/contact.entity';
import { CONTACT_CATEGORIES, type ContactCategory } from '@app/domain/alerts/alert-kinds';
import { CONTACT_CHANNELS, type ContactChannel } from '@app/domain/alerts/alert-rule';
import { checkTimeZone } from '@app/domain/alerts/quiet-hours';
import { readEmailAddress } from '@app/domain/common/email-address';
import { checkEnum, checkList, withSchema, type Check } from '@app/domain/common/field-checks';
import { WEBHOOK_URL_MAX } from '@app/domain/webhooks/webhook-url';
import { choose } from '../http/choose';
import { CheckedField, EnumField, IntegerField, StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';
import { invalid } from '../http/wire-problem';

const NAME = { min: 1, max: 200 };
const GATHER = { min: 0, max: 1_440, optional: true };

const checkEmail: Check = withSchema({ type: 'string', maxLength: 254 }, (value) =>
  typeof value === 'string' && value.length <= 254 && readEmailAddress(value) !== null
    ? []
    : [{ type: 'email', msg: 'Input should be an e-mail address such as ana@example.com' }],
);

const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)$/;

const checkClock: Check = withSchema({ type: 'string', pattern: CLOCK.source }, (value) =>
  typeof value === 'string' && CLOCK.test(value)
    ? []
    : [{ type: 'time', msg: 'Input should be a time of day from 00:00 to 23:59' }],
);

const checkCategoryList = checkList(checkEnum(CONTACT_CATEGORIES), { max: CONTACT_CATEGORIES.length });

const checkCategories: Check = withSchema({ ...checkCategoryList.schema, minItems: 1 }, (value) =>
  Array.isArray(value) && value.length === 0
    ? [{ type: 'too_short', msg: 'List should have at least 1 item after validation, not 0' }]
    : checkCategoryList(value),
);

const MAYBE = { optional: true, nullable: true };

class ContactFields extends ReasonBody {
  /** Of a contact that is reached by e-mail. */
  @CheckedField(checkEmail, { optional: true })
  email?: string;

  /** Of a hook that is Slack-compatible, or of PagerDuty (`/v2/enqueue?routing_key=KEY`) or Opsgenie (`/v2/alerts?api_key=KEY`); it is not shown again. */
  @StringField({ min: 1, max: WEBHOOK_URL_MAX, optional: true })
  url?: string;

  /** Nothing is sent from this time of day; all three or none. */
  @CheckedField(checkClock, MAYBE)
  quiet_from?: string | null;

  @CheckedField(checkClock, MAYBE)
  quiet_to?: string | null;

  @CheckedField(checkTimeZone, MAYBE)
  time_zone?: string | null;

  /** For how long alerts are gathered into one message. */
  @IntegerField(GATHER)
  gather_minutes?: number;
}

export class CreateContactBody extends ContactFields {
  @StringField(NAME)
  name: string;

  @EnumField(CONTACT_CHANNELS)
  channel: ContactChannel;

  /** What it is notified of. */
  @CheckedField(checkCategories)
  categories: ContactCategory[];
}

export class EditContactBody extends ContactFields {
  @StringField({ ...NAME, optional: true })
  name?: string;

  @CheckedField(checkCategories, { optional: true })
  categories?: ContactCategory[];

  /** `true` for a contact that had unsubscribed and wants messages again. */
  @EnumField(['true'], { optional: true })
  subscribed?: 'true';
}

/** @throws ValidationProblem when an address is missing, or quiet hours are incomplete */
export function toNewContact(body: CreateContactBody): NewContact {
  const { name, channel, categories, email, url, gather_minutes = 0 } = body;
  const quiet = toQuietHours(body) ?? { quietFrom: null, quietTo: null, timeZone: null };
  const settings = { name: name.trim(), categories, gatherMinutes: gather_minutes, ...quiet };
  if (channel === 'email') {
    refuseInput('url', url, 'a contact that is reached by e-mail');
    return { ...settings, channel, email: readEmailAddress(email ?? missing('email'))! };
  }
  refuseInput('email', email, 'a hook');
  return { ...settings, channel, url: url ?? missing('url') };
}

export function toContactEdit(body: EditContactBody): ContactEdit {
  const { name, categories, url, gather_minutes: gatherMinutes, subscribed } = body;
  const email = body.email === undefined ? undefined : readEmailAddress(body.email)!;
  const input = { name: name?.trim(), categories, email, url, gatherMinutes, ...toQuietHours(body) };
  const edit = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return { ...edit, ...(subscribed === 'true' && { subscribed: true as const }) };
}

function toQuietHours({ quiet_from: from, quiet_to: to, time_zone: timeZone }: ContactFields) {
  const input = [from, to, timeZone];
  if (input.every((part) => part === undefined)) return undefined;
  if (input.every((part) => part === null || part === undefined))
    return { quietFrom: null, quietTo: null, timeZone: null };
  const names = ['quiet_from', 'quiet_to', 'time_zone'].filter(
    (_, index) => typeof input[index] !== 'string',
  );
  if (names.length > 0)
    throw invalid(
      'body',
      ...names.map((name) => ({
        type: 'missing',
        path: [name],
        msg: 'Quiet hours need quiet_from, quiet_to and time_zone',
        input: null,
      })),
    );
  return { quietFrom: minutesOf(from!), quietTo: minutesOf(to!), timeZone: timeZone! };
}

function minutesOf(clock: string): number {
  const [hours, minutes] = clock.split(':').map(Number);
  return hours! * 60 + minutes!;
}

function toClock(minutes: number | null): string | null {
  if (minutes === null) return null;
  const part = (value: number) => String(value).padStart(2, '0');
  return `${part(Math.floor(minutes / 60))}:${part(minutes % 60)}`;
}

function missing(name: string): never {
  throw invalid('body', { type: 'missing', path: [name], msg: 'Field required', input: null });
}

function refuseInput(name: string, value: string | undefined, what: string): void {
  if (value === undefined) return;
  throw invalid('body', {
    type: 'extra_forbidden',
    path: [name],
    msg: `Input is not accepted for ${what}`,
    input: name,
  });
}

export interface ContactsResponse {
  items: ContactResponse[];
  /** Whether e-mail is sent at all: `SMTP_URL` is set. */
  mail_server: boolean;
}

export interface ContactResponse extends ReturnType<typeof toContactResponse> {}

export function toContactResponse(contact: Contact) {
  return {
    id: contact.id,
    /** Null for a contact of the installation. */
    account_id: contact.accountId,
    ...choose(contact, 'name', 'channel', 'email'),
    /** The host and the end of a hook's URL. */
    url_hint: contact.maskedUrl,
    categories: contact.categories,
    quiet_from: toClock(contact.quietFrom),
    quiet_to: toClock(contact.quietTo),
    ...choose(contact, 'timeZone', 'gatherMinutes'),
    /** When it unsubscribed. */
    unsubscribed_at: contact.unsubscribedAt?.toISOString() ?? null,
    ...choose(contact, 'createdAt', 'updatedAt', 'version'),
  };
}
