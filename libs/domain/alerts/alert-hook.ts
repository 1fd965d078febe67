import { alertHeading, alertLines, type AlertDigest } from './alert-text';

/** A request to the hook of a contact. */
export interface HookRequest {
  url: string;
  headers: Record<string, string>;
  body: object;
}

/** A service whose hooks take a form of their own; the URL of a contact there has its key as a parameter. */
interface HookService {
  path: string;
  key: string;
  toRequest: (message: HookMessage, key: string, url: string) => HookRequest;
}

interface HookMessage {
  /** The same in every attempt. */
  id: string;
  heading: string;
  lines: string[];
}

/** As the services document the longest that they take. */
const PAGERDUTY_SUMMARY = 1_024;
const OPSGENIE_MESSAGE = 130;
const OPSGENIE_DESCRIPTION = 15_000;

/** By path, so that a hook may stand behind a relay. All others are Slack-compatible. */
const SERVICES: HookService[] = [
  {
    // Events API v2 of PagerDuty.
    path: '/v2/enqueue',
    key: 'routing_key',
    toRequest: ({ id, heading, lines }, key, url) => ({
      url,
      headers: {},
      body: {
        routing_key: key,
        event_action: 'trigger',
        dedup_key: id,
        payload: {
          summary: cut(`${heading}: ${lines.join(' ')}`, PAGERDUTY_SUMMARY),
          source: 'greenroom',
          severity: 'warning',
          custom_details: { alerts: lines },
        },
      },
    }),
  },
  {
    // Alert API of Opsgenie.
    path: '/v2/alerts',
    key: 'api_key',
    toRequest: ({ id, heading, lines }, key, url) => ({
      url,
      headers: { authorization: `GenieKey ${key}` },
      body: {
        message: cut(heading, OPSGENIE_MESSAGE),
        alias: id,
        description: cut(lines.join('\n'), OPSGENIE_DESCRIPTION),
        source: 'greenroom',
      },
    }),
  },
];

/**
 * What is posted to the hook of a contact: the event of PagerDuty or the alert of Opsgenie for URLs of theirs, else what Slack-compatible
 * hooks take.
 *
 * @param url as it was entered; the key of a service is taken out of it
 * @param id of the message
 */
export function alertHook(text: string, digest: AlertDigest, id: string): HookRequest {
  const url = new URL(text);
  const message = { id, heading: alertHeading(digest), lines: alertLines(digest) };
  for (const { path, key, toRequest } of SERVICES) {
    const value = url.searchParams.get(key);
    if (value === null || !url.pathname.endsWith(path)) continue;
    url.searchParams.delete(key);
    return toRequest(message, value, url.href);
  }
  return { url: text, headers: {}, body: toChat(message) };
}

/** Control characters are escaped, so a name cannot call everyone. */
function toChat({ heading, lines }: HookMessage): { text: string } {
  return { text: [`*${heading}*`, ...lines.map((line) => `• ${line}`)].map(escapeChat).join('\n') };
}

const CHAT_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** As Slack documents it: these three, and nothing else. */
const escapeChat = (text: string) =>
  text.replaceAll(/[&<>]/g, (character) => CHAT_ENTITIES[character] ?? character);

const cut = (text: string, length: number) =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;
