import { ALERT_KIND_NAMES, alertKind, type AlertKind } from './alert-kinds';
import { capitalised, grouped, plural } from '../common/sentences';
import { minuteText } from '../common/times';
import { windowName, type BudgetWindow } from '../credits/budget';

/** What a sentence needs to know of an alert. */
export interface DescribedAlert {
  kind: AlertKind;
  threshold: number | null;
  accountName: string | null;
  keyName: string | null;
  data: Record<string, unknown>;
}

/** What one message says. */
export interface AlertDigest {
  /** How many alerts there are; some of them are in `listed`. None is a test. */
  total: number;
  listed: DescribedAlert[];
}

/** One text, as a mail needs it. */
export interface AlertText {
  subject: string;
  text: string;
  html: string;
}

/** Alerts that a message lists; of more it says how many. */
export const LISTED_ALERTS = 50;

const NAME_LENGTH = 80;

const number = (value: unknown) => grouped(Number(value));
const time = (value: unknown) => {
  const at = new Date(String(value));
  return Number.isNaN(at.getTime()) ? String(value) : minuteText(at);
};
const count = (value: unknown, one: string, several: string) => plural(Number(value), one, several, number);

/** As an alert about a budget carries it. */
interface NamedBudget {
  name: string;
  window: BudgetWindow;
  renews_at: string;
}

/** Why a key was refused, by the name of the count. */
const REFUSALS = {
  too_many: 'too many at once or in a minute (429)',
  no_credits: 'without credits (402)',
  address: 'from an address that is not on the allow-list (403)',
};

/** A sentence without its end; `whose` is the key or the account. */
const SENTENCES: Record<AlertKind, (whose: string, alert: DescribedAlert) => string> = {
  credits_used: (whose, { threshold, data }) => {
    const used = `${number(data.credits_used)} / ${number(data.credit_limit)}`;
    const budget = data.budget as NamedBudget | null | undefined;
    if (!budget) return `${whose} has used ${threshold} % of its credits: ${used}`;
    const { name, window, renews_at: renewsAt } = budget;
    return `the budget “${named(name)}” of ${whose} has used ${threshold} % of its credits per ${windowName(window)}: ${used}. It renews on ${time(renewsAt)}`;
  },
  credits_forecast: (whose, { data }) =>
    `At the present pace ${whose} runs out of credits on ${time(data.runs_out_at)}, before its period ends on ${time(data.period_end)}`,
  spend_spike: (whose, { data }) =>
    `${whose} used ${count(data.spent, 'credit', 'credits')} in 24 hours; ${number(data.usual)} a day are usual`,
  key_expiring: (whose, { data }) => `${whose} expires on ${time(data.expires_at)}`,
  rotation_ending: (whose, { data }) =>
    `The former secret of ${whose} stops working on ${time(data.retires_at)}`,
  key_idle: (whose, { data }) =>
    data.last_used_at ? `${whose} was last used on ${time(data.last_used_at)}` : `${whose} was never used`,
  rotation_due: (whose, { data }) =>
    `The secret of ${whose} is from ${time(data.secret_created_at)} and should be replaced by ${time(data.due_at)}`,
  idle_warning: (whose, { data }) => {
    const used = data.last_used_at ? `was last used on ${time(data.last_used_at)}` : 'was never used';
    return data.disables_at
      ? `${whose} ${used} and is disabled on ${time(data.disables_at)} unless it is used before`
      : `${whose} ${used}`;
  },
  key_refused: (whose, { data }) => {
    const by = Object.entries(REFUSALS).flatMap(([name, words]) =>
      Number(data[name]) > 0 ? [`${number(data[name])} ${words}`] : [],
    );
    return `${number(data.refused)} of ${count(data.requests, 'request', 'requests')} of ${whose} (${number(data.percent)} %) were refused from ${time(data.from)} on: ${by.join(', ')}`;
  },
  list_refused: (whose, { data }) =>
    `The allow-list of ${whose} refused a request from ${String(data.address)}`,
  new_network: (whose, { data }) =>
    `${whose} was used from the network ${String(data.network)} for the first time`,
  new_country: (whose, { data }) =>
    `${whose} was used from the country ${String(data.country)} for the first time, from ${String(data.address)}`,
  key_leaked: (whose, { data }) =>
    `A secret of ${whose} was found where others can read it${typeof data.place === 'string' ? `: ${data.place}` : ''}`,
  review_backlog: (_, { data }) =>
    `The review that has waited longest has waited for ${count(data.waiting_minutes, 'minute', 'minutes')}`,
  dead_letters: (_, { data }) =>
    `${count(data.reviews, 'review', 'reviews')} failed after the last attempt; a person must look`,
  backup_missing: (_, { data }) => {
    const last = data.succeeded_at ? `since ${time(data.succeeded_at)}` : 'yet';
    return `No backup has succeeded ${last}${typeof data.error === 'string' ? `: ${data.error.replace(/\.$/, '')}` : ''}`;
  },
  check_failed: (_, { data }) =>
    `the check “${String(data.check)}” has needed attention since ${time(data.since)}: ${String(data.detail).replace(/\.$/, '')}`,
  receiver_failing: (whose, { data }) =>
    `the receiver “${named(String(data.receiver))}” of ${whose} has failed since ${time(data.since)}: ${String(data.error)}`,
};

/** What happened, as a sentence with the names of the key and the account. */
export function alertSentence(alert: DescribedAlert): string {
  const account = alert.accountName === null ? null : `the account “${named(alert.accountName)}”`;
  const key = alert.keyName === null ? null : `the key “${named(alert.keyName)}”`;
  const sentence = SENTENCES[alert.kind](key ?? account ?? 'the installation', alert);
  const place = key && account ? ` (${account.replace('the account ', '')})` : '';
  return `${capitalised(sentence)}${place}.`;
}

/** What all alerts of a message are about, in a line. */
export function alertHeading({ total, listed }: AlertDigest): string {
  if (total === 0) return 'A test message';
  const kinds = ALERT_KIND_NAMES.filter((kind) => listed.some((alert) => alert.kind === kind));
  const [kind] = kinds;
  if (kinds.length !== 1 || kind === undefined) return `${number(total)} alerts`;
  const [one, several] = alertKind(kind).headings;
  return total === 1 ? one : `${number(total)} ${several}`;
}

/** The sentences of a message, with a last one for those that are not listed. */
export function alertLines({ total, listed }: AlertDigest): string[] {
  if (total === 0) return ['This contact can be reached.'];
  const left = total - listed.length;
  return [...listed.map(alertSentence), ...(left > 0 ? [`And ${number(left)} more.`] : [])];
}

/** A mail: the same in text and in HTML, without anything that is loaded from elsewhere. */
export function alertMail(digest: AlertDigest, unsubscribeUrl: string): AlertText {
  const heading = alertHeading(digest);
  const lines = alertLines(digest);
  const why = 'You receive this because you are a contact in Greenroom.';
  const items = lines.map((line) => `<li dir="auto">${escapeHtml(line)}</li>`).join('\n');
  return {
    subject: `Greenroom: ${heading}`,
    text: [
      heading,
      '',
      ...lines.map((line) => `- ${line}`),
      '',
      why,
      `Unsubscribe: ${unsubscribeUrl}`,
      '',
    ].join('\n'),
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(heading)}</title></head>
<body style="font-family: sans-serif; line-height: 1.5">
<h1 style="font-size: 1.25em">${escapeHtml(heading)}</h1>
<ul>
${items}
</ul>
<p style="color: #666">${why} <a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a></p>
</body></html>
`,
  };
}

/** What a person has chosen, on one line and not too long. */
function named(name: string): string {
  const line = name.replaceAll(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length > NAME_LENGTH ? `${characters.slice(0, NAME_LENGTH - 1).join('')}…` : line;
}

const HTML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => HTML_ENTITIES[character] ?? character);
}
