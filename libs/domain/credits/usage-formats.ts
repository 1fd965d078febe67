import type { UsageFormat, UsageSink } from './usage-sink';

/** A line of the ledger, as the usage of a customer. */
export interface UsageLine {
  id: string;
  accountId: string;
  /** What another system calls the account; null for none. */
  externalId: string | null;
  keyId: string | null;
  kind: string;
  /** Credits; negative for what is given back. */
  amount: number;
  operation: string;
  endUser: string | null;
  at: Date;
}

/** A request that has some lines in it. */
export interface UsageRequest {
  headers: Record<string, string>;
  body: string;
}

/** What a receiver says of the lines of a request. `alreadyThere` are the places of those that it had received before. */
export type UsageOutcome =
  | { outcome: 'delivered' }
  | { outcome: 'some_there'; alreadyThere: number[] }
  /** One of the lines, or how they are written: sending the same again does not help. */
  | { outcome: 'refused'; reason: string }
  /** For another time. */
  | { outcome: 'failed'; reason: string };

interface FormatRow {
  /** Lines of a request at the most. */
  lines: number;
  write: (sink: UsageSink, cell: string, lines: readonly UsageLine[]) => UsageRequest;
  /** The lines that a receiver had before, by the refusal of a request; null when it says nothing of that. */
  alreadyThere: (body: string) => number[] | null;
}

/** A request with a line has its id as `id`, `transaction_id` or `identifier`: by that, a receiver knows a second copy. */
const idOf = ({ id }: UsageLine, cell: string) => `greenroom-${cell}-${id}`;

const customerOf = ({ externalId, accountId }: UsageLine) => externalId ?? accountId;

const aboutLine = ({ accountId, keyId, kind, amount, operation, endUser }: UsageLine) => ({
  credits: amount,
  operation,
  kind,
  account_id: accountId,
  key_id: keyId,
  end_user: endUser,
});

const FORMATS: Record<UsageFormat, FormatRow> = {
  // CloudEvents 1.0.2, JSON batch format. A receiver counts an id of a source once.
  cloudevents: {
    lines: 500,
    write: ({ event }, cell, lines) => ({
      headers: { 'content-type': 'application/cloudevents-batch+json; charset=utf-8' },
      body: JSON.stringify(
        lines.map((line) => ({
          specversion: '1.0',
          id: line.id,
          source: `/greenroom/cells/${cell}`,
          type: event,
          subject: customerOf(line),
          time: line.at.toISOString(),
          datacontenttype: 'application/json',
          data: aboutLine(line),
        })),
      ),
    }),
    alreadyThere: () => null,
  },
  // https://getlago.com/docs/api-reference/events/batch: at most 100, and a transaction_id that is stored refuses its request.
  lago: {
    lines: 100,
    write: ({ event }, cell, lines) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        events: lines.map((line) => ({
          transaction_id: idOf(line, cell),
          external_subscription_id: customerOf(line),
          code: event,
          timestamp: (line.at.getTime() / 1_000).toFixed(3),
          properties: aboutLine(line),
        })),
      }),
    }),
    alreadyThere: (body) => {
      const details = objectAt(parsed(body), 'error_details');
      const there = Object.entries(details).filter(([, fields]) =>
        JSON.stringify(objectAt(fields, 'transaction_id')).includes('value_already_exist'),
      );
      return there.length > 0 ? there.map(([place]) => Number(place)) : null;
    },
  },
  // https://docs.stripe.com/api/billing/meter-event/create: one a request. Identifiers are unique for 24 hours or more.
  stripe: {
    lines: 1,
    write: ({ event }, cell, [line]) => ({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        event_name: event,
        identifier: idOf(line!, cell),
        timestamp: String(Math.floor(line!.at.getTime() / 1_000)),
        'payload[stripe_customer_id]': customerOf(line!),
        'payload[value]': String(line!.amount),
      }).toString(),
    }),
    alreadyThere: (body) => {
      const { code, message } = objectAt(parsed(body), 'error');
      const isThere =
        code === 'duplicate_meter_event' ||
        String(message).startsWith('An event already exists with identifier ');
      return isThere ? [0] : null;
    },
  },
};

/** Lines that a request of a format has at the most. */
export const linesAtOnce = (format: UsageFormat): number => FORMATS[format].lines;

/**
 * The request for some lines, at most `linesAtOnce`.
 *
 * @param cell ids of lines are those of a cell
 */
export function writeUsage(sink: UsageSink, cell: string, lines: readonly UsageLine[]): UsageRequest {
  const { headers, body } = FORMATS[sink.format].write(sink, cell, lines);
  return { headers: { ...headers, ...(sink.token && { authorization: `Bearer ${sink.token}` }) }, body };
}

/** Of what concerns the sender and not the lines: signing in, the address, too many requests, the server's state. */
const NOT_OF_LINES = new Set([401, 403, 404, 405, 408, 425, 429]);

/** What the response to a request with lines says of them. */
export function readUsageResponse(format: UsageFormat, status: number, body: string): UsageOutcome {
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  const reason = `the receiver responded with ${status}: ${body.slice(0, 300)}`;
  if (status < 400 || status >= 500 || NOT_OF_LINES.has(status)) return { outcome: 'failed', reason };
  const alreadyThere = FORMATS[format].alreadyThere(body);
  return alreadyThere ? { outcome: 'some_there', alreadyThere } : { outcome: 'refused', reason };
}

/** Why a line cannot be sent to a sink; null when it can. */
export function usageProblem({ format }: UsageSink, { externalId, accountId }: UsageLine): string | null {
  if (format !== 'stripe' || externalId !== null) return null;
  return `account ${accountId} has no external_id, which has to be its customer at Stripe (cus_…)`;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function objectAt(value: unknown, name: string): Record<string, unknown> {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : null;
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
}
