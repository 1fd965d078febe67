import { ReviewFlowRepository, type FlowBucket } from '@app/database/reviews/review-flow.repository';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Staff } from '@app/domain/staff/staff';
import { StaffNames } from '../http/staff-names';
import { StaffHook } from '../staff/staff.hook';
import { QueuesService, type QueueOverview, type WatchedWorker } from './queues.service';

const EVERY_MS = 2_000;
/** A minute is the smallest part of the chart. */
const THROUGHPUT_EVERY_MS = 15_000;
/** A slower reader receives the latest state later, not every one. */
const MAX_UNREAD_BYTES = 256 * 1024;

export interface Stretch {
  minutes: number;
  stepMinutes: number;
}

interface Listener extends Stretch {
  staff: Staff;
  bodies: EventBodies;
  stream: Readable;
  throughputDueAt: number;
  /** What was sent last, by event. */
  sent: Map<string, string>;
}

/** What an event carries, by its name: each is the response of the route for the same. */
export interface EventBodies {
  overview: (overview: QueueOverview) => object;
  workers: (workers: WatchedWorker[]) => object;
  throughput: (buckets: FlowBucket[], stepMinutes: number) => object;
}

/** Sends changes of the queues to those who watch: one look for all of them, and none without a watcher. */
@Injectable()
export class QueueEventsService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(QueueEventsService.name);
  private readonly listeners = new Set<Listener>();
  private readonly stop = new AbortController();
  private turning: Promise<void> | null = null;

  constructor(
    private readonly queues: QueuesService,
    private readonly flow: ReviewFlowRepository,
    private readonly staffHook: StaffHook,
    private readonly names: StaffNames,
  ) {}

  /**
   * Server-sent events, until the reader leaves, may not see the queues any more, or something cannot be read: a caller that requests
   * again gets the reason.
   */
  watch(staff: Staff, stretch: Stretch, bodies: EventBodies): Readable {
    const stream = new Readable({
      read: () => undefined,
      destroy: (error, done) => {
        this.listeners.delete(listener);
        done(error);
      },
    });
    const listener: Listener = { ...stretch, staff, bodies, stream, throughputDueAt: 0, sent: new Map() };
    // Sends the headers, too.
    stream.push(': welcome\n\n');
    if (this.stop.signal.aborted) {
      stream.push(null);
    } else {
      this.listeners.add(listener);
      this.turning ??= this.turn();
    }
    return stream;
  }

  /** Open streams would keep the server from closing. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    this.endAll();
    await this.turning;
  }

  private async turn(): Promise<void> {
    while (this.listeners.size > 0) {
      try {
        await this.endUnadmitted();
        await this.notify();
      } catch (error) {
        this.logger.warn(`Changes of the queues cannot be sent: ${(error as Error).message}`);
        this.endAll();
      }
      await sleep(EVERY_MS, undefined, { signal: this.stop.signal }).catch(() => undefined);
    }
    this.turning = null;
  }

  private async endUnadmitted(): Promise<void> {
    const isAdmitted = ({ staff }: Listener) => this.staffHook.isStillAdmitted(staff, 'queues.read');
    await Promise.all(
      [...this.listeners].map(async (listener) => {
        if (!(await isAdmitted(listener))) this.end(listener);
      }),
    );
  }

  private async notify(): Promise<void> {
    if (this.listeners.size === 0) return;
    const [overview, workers] = await Promise.all([this.queues.overview(), this.queues.listWorkers()]);
    const names = await this.names.of([overview, workers]);
    await this.publishThroughput();
    for (const listener of this.listeners) {
      send(listener, 'overview', { ...listener.bodies.overview(overview), ...names });
      send(listener, 'workers', { ...listener.bodies.workers(workers), ...names });
      // Nothing else may have been sent: each proxy on the way must see that the connection is in use.
      listener.stream.push(': here\n\n');
    }
  }

  /** Listeners who look back equally far share one look. */
  private async publishThroughput(): Promise<void> {
    const now = Date.now();
    const due = [...this.listeners].filter(({ throughputDueAt }) => throughputDueAt <= now);
    for (const minutes of new Set(due.map((listener) => listener.minutes))) {
      const those = due.filter((listener) => listener.minutes === minutes);
      const { stepMinutes } = those[0]!;
      const buckets = await this.flow.listBuckets(minutes, stepMinutes);
      for (const listener of those) {
        listener.throughputDueAt = now + THROUGHPUT_EVERY_MS;
        send(listener, 'throughput', listener.bodies.throughput(buckets, stepMinutes));
      }
    }
  }

  private endAll(): void {
    for (const listener of this.listeners) this.end(listener);
  }

  private end(listener: Listener): void {
    this.listeners.delete(listener);
    listener.stream.push(null);
  }
}

function send({ stream, sent }: Listener, name: keyof EventBodies, body: object): void {
  const data = JSON.stringify(body);
  if (sent.get(name) === data || stream.readableLength > MAX_UNREAD_BYTES) return;
  sent.set(name, data);
  stream.push(`event: ${name}\ndata: ${data}\n\n`);
}
