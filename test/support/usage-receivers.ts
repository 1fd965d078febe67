import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Usage that a billing system has counted. */
export interface CountedUsage {
  id: string;
  customer: string;
  credits: number;
}

interface Reply {
  status: number;
  body?: object;
}

const DAY_SECS = 86_400;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A billing system: counts each event once, and refuses what its documents say it refuses. */
export abstract class UsageReceiver {
  readonly counted = new Map<string, CountedUsage>();
  /** Events of requests that were accepted, or refused for having some of them. */
  received = 0;
  duplicates = 0;
  /** Takes a request and is never heard of again. */
  hangs = false;
  /** What it responds instead, as when it is down. */
  failure: number | null = null;
  requests = 0;
  private server: Server | null = null;

  async start(): Promise<this> {
    this.server = createServer((request, response) => {
      void text(request).then((body) => {
        this.requests += 1;
        if (this.hangs) return;
        const reply: Reply =
          this.failure === null ? this.take(request.headers, body) : { status: this.failure };
        response.writeHead(reply.status, { 'content-type': 'application/json' });
        response.end(reply.body && JSON.stringify(reply.body));
      });
    });
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server!.address() as AddressInfo).port}/events`;
  }

  get total(): number {
    return [...this.counted.values()].reduce((sum, { credits }) => sum + credits, 0);
  }

  stop(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  protected abstract take(headers: IncomingHttpHeaders, body: string): Reply;

  /** Whether an event is new. */
  protected count(event: CountedUsage): boolean {
    this.received += 1;
    const isNew = !this.counted.has(event.id);
    if (isNew) this.counted.set(event.id, event);
    else this.duplicates += 1;
    return isNew;
  }
}

/** OpenMeter: CloudEvents in batches, of which it ignores those whose id and source it has. */
export class OpenMeterReceiver extends UsageReceiver {
  protected take(headers: IncomingHttpHeaders, body: string): Reply {
    if (!/^application\/cloudevents-batch\+json\b/.test(headers['content-type'] ?? ''))
      return { status: 415 };
    const events = JSON.parse(body) as Record<string, string & { credits?: unknown }>[];
    const isWrong = events.some(
      ({ specversion, id, source, type, subject, time, data }) =>
        specversion !== '1.0' ||
        [id, source, type, subject].some((value) => typeof value !== 'string' || value === '') ||
        !RFC_3339.test(time ?? '') ||
        typeof data?.credits !== 'number',
    );
    if (isWrong) return { status: 400, body: { title: 'Bad Request' } };
    for (const { id, source, subject, data } of events)
      this.count({ id: `${source} ${id}`, customer: subject!, credits: Number(data!.credits) });
    return { status: 204 };
  }
}

/** Lago: at most 100 events, and none of a request when one is wrong or was there before. */
export class LagoReceiver extends UsageReceiver {
  constructor(private readonly codes: readonly string[]) {
    super();
  }

  protected take(headers: IncomingHttpHeaders, body: string): Reply {
    if (headers.authorization !== 'Bearer lago-key') return { status: 401 };
    const { events } = JSON.parse(body) as {
      events: {
        transaction_id: string;
        external_subscription_id: string;
        code: string;
        timestamp: string;
        properties: { credits: number };
      }[];
    };
    if (events.length > 100) return { status: 422, body: { error_details: { events: ['too_many_events'] } } };
    const problems = events.map((event): Record<string, string[]> | null => {
      if (!event.transaction_id || !event.external_subscription_id)
        return { transaction_id: ['value_is_mandatory'] };
      if (!this.codes.includes(event.code)) return { code: ['metric_not_found'] };
      if (!/^\d+(\.\d+)?$/.test(event.timestamp)) return { timestamp: ['invalid_format'] };
      return this.counted.has(event.transaction_id) ? { transaction_id: ['value_already_exist'] } : null;
    });
    const wrong = problems.flatMap((problem, place) => (problem ? [[place, problem] as const] : []));
    if (wrong.length > 0) {
      this.duplicates += wrong.filter(([, problem]) => 'transaction_id' in problem).length;
      const error_details = Object.fromEntries(wrong);
      return { status: 422, body: { status: 422, code: 'validation_errors', error_details } };
    }
    for (const { transaction_id: id, external_subscription_id: customer, properties } of events)
      this.count({ id, customer, credits: properties.credits });
    return { status: 200, body: { events } };
  }
}

/** Stripe: one meter event a request, with an identifier that it does not take twice, of the last 35 days. */
export class StripeReceiver extends UsageReceiver {
  constructor(
    private readonly eventName: string,
    private readonly customers: ReadonlySet<string>,
  ) {
    super();
  }

  protected take(headers: IncomingHttpHeaders, body: string): Reply {
    if (headers.authorization !== 'Bearer sk_test') return { status: 401 };
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') return { status: 400 };
    const form = Object.fromEntries(new URLSearchParams(body));
    const { event_name: name, identifier = '', timestamp = '' } = form;
    const [customer = '', value = ''] = [form['payload[stripe_customer_id]'], form['payload[value]']];
    const refuse = (message: string) => ({
      status: 400,
      body: { error: { type: 'invalid_request_error', message } },
    });
    const age = Date.now() / 1_000 - Number(timestamp);
    if (name !== this.eventName) return refuse(`No active meter found for event name: ${name}`);
    if (identifier === '' || identifier.length > 100) return refuse('Invalid identifier');
    if (!/^\d+$/.test(timestamp) || age > 35 * DAY_SECS || age < -300) return refuse('Invalid timestamp');
    if (!/^-?\d+$/.test(value)) return refuse('Invalid value');
    if (!this.customers.has(customer)) return refuse(`No such customer: '${customer}'`);
    if (!this.count({ id: identifier, customer, credits: Number(value) }))
      return refuse(`An event already exists with identifier ${identifier}.`);
    return { status: 200, body: { object: 'billing.meter_event', identifier } };
  }
}
