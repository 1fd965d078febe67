import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AlertSweeper } from './alerts/alert-sweeper';
import { AlertWatch } from './alerts/alert-watch';
import { QuotaWatch } from './alerts/quota-watch';
import { SpendingWatch } from './alerts/spending-watch';
import { AbandonedPreviews } from './housekeeping/abandoned-previews';
import { AuditStream } from './housekeeping/audit-stream';
import { DueUndo } from './housekeeping/due-undo';
import { HistoryExpiry } from './housekeeping/history-expiry';
import { HoldExpiry } from './housekeeping/hold-expiry';
import { KeySafetyWatch } from './housekeeping/key-safety-watch';
import { LimitExpiry } from './housekeeping/limit-expiry';
import { PreviewExpiry } from './housekeeping/preview-expiry';
import { QueueWatch } from './housekeeping/queue-watch';
import { TrafficRetention } from './housekeeping/traffic-retention';
import { WorkerHeartbeat } from './housekeeping/worker-heartbeat';
import { Loop, type Round } from './loop';
import { OutboxRelay } from './outbox/outbox-relay';
import { RelayBell } from './outbox/relay-bell';
import { ReviewSweeper } from './review/review-sweeper';
import { WebhookSweeper } from './webhooks/webhook-sweeper';

/** One thing that runs on a timer, under the name of the class that does it. */
export interface TimedTask {
  readonly name: string;
  /** From the end of a round that left nothing to do to the beginning of the next. */
  readonly everyMs: number;
  readonly round: (modules: ModuleRef) => Promise<Round>;
}

/** Everything that runs on a timer. Every worker runs all of it; workers do not get in each other's way. */
export const TIMED_TASKS: readonly TimedTask[] = [
  every(250, OutboxRelay, (outbox) => outbox.relay()),
  every(1_000, DueUndo, (changes) => changes.undoDue()),
  every(1_000, KeySafetyWatch, (keys) => keys.look()),
  every(1_000, AuditStream, (audit) => audit.send()),
  every(2_000, QuotaWatch, (quotas) => quotas.look()),
  every(5_000, ReviewSweeper, (reviews) => reviews.sweep()),
  every(5_000, WorkerHeartbeat, (worker) => worker.beat()),
  every(10_000, HoldExpiry, (holds) => holds.expire()),
  every(10_000, QueueWatch, (queues) => queues.look()),
  every(20_000, WebhookSweeper, (deliveries) => deliveries.sweep()),
  every(20_000, AlertSweeper, (messages) => messages.sweep()),
  every(60_000, AbandonedPreviews, (previews) => previews.giveUp()),
  every(60_000, AlertWatch, (alerts) => alerts.look()),
  every(10 * 60_000, HistoryExpiry, (history) => history.expire()),
  every(10 * 60_000, LimitExpiry, (limits) => limits.expire()),
  every(10 * 60_000, PreviewExpiry, (previews) => previews.expire()),
  every(10 * 60_000, TrafficRetention, (traffic) => traffic.tidy()),
  every(60 * 60_000, SpendingWatch, (accounts) => accounts.look()),
];

/** Injection token of the table, so that a test can have its own intervals. */
export const TIMETABLE = Symbol('timetable');

/** Runs the timetable from the start of the worker to its end. */
@Injectable()
export class Poller implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private loops: Loop[] = [];

  constructor(
    @Inject(TIMETABLE) private readonly tasks: readonly TimedTask[],
    private readonly modules: ModuleRef,
    private readonly bell: RelayBell,
  ) {}

  onApplicationBootstrap(): void {
    this.loops = this.tasks.map(
      ({ name, everyMs, round }) => new Loop(name, () => round(this.modules), everyMs),
    );
    for (const loop of this.loops) loop.start();
    const relay = this.loops.find(({ name }) => name === OutboxRelay.name);
    this.bell.answer(() => relay?.wake());
  }

  /** Finishes the rounds in hand: a batch of the outbox need not wait for its lease to run out. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}

function every<T>(everyMs: number, task: Type<T>, run: (task: T) => Promise<Round>): TimedTask {
  return { name: task.name, everyMs, round: (modules) => run(modules.get(task, { strict: false })) };
}
