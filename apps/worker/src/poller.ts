import { HEARTBEAT_MS, type TimerName } from '@app/domain/common/timers';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AlertSweeper } from './deliveries/alert-sweeper';
import { AlertWatch } from './alerts/alert-watch';
import { CountryWatch } from './alerts/country-watch';
import { QuotaWatch } from './alerts/quota-watch';
import { SpendingWatch } from './alerts/spending-watch';
import { AbandonedPreviews } from './housekeeping/abandoned-previews';
import { AuditStream } from './housekeeping/audit-stream';
import { DueUndo } from './housekeeping/due-undo';
import { Expiry, type ExpiryTimer } from './housekeeping/expiry';
import { HistoryFingerprints } from './housekeeping/history-fingerprints';
import { IdleKeys } from './housekeeping/idle-keys';
import { KeySafetyWatch } from './housekeeping/key-safety-watch';
import { LedgerMonths } from './housekeeping/ledger-months';
import { LimitExpiry } from './housekeeping/limit-expiry';
import { PresetWatch } from './housekeeping/preset-watch';
import { PreviewExpiry } from './housekeeping/preview-expiry';
import { QueueWatch } from './housekeeping/queue-watch';
import { UsageSinks } from './housekeeping/usage-sinks';
import { WorkerHeartbeat } from './housekeeping/worker-heartbeat';
import { AFTER_FAILURE_MS, didOf, Loop, nextOf, type Next, type Round } from './loop';
import { OutboxRelay } from './outbox/outbox-relay';
import { RelayWakeSignal } from './outbox/relay-wake-signal';
import { ReviewSweeper } from './review/review-sweeper';
import { ScheduledBackups } from './housekeeping/scheduled-backups';
import { SpaceLog } from './housekeeping/space-log';
import { TimerControl } from './timers/timer-control';
import { TimerLog } from './timers/timer-log';
import { WorkerCommands } from './timers/worker-commands';
import { WebhookSweeper } from './deliveries/webhook-sweeper';

/** A task on a timer, and the name of the class that does it. */
export interface TimedTask {
  readonly timer: TimerName;
  readonly name: string;
  /** From the end of a round that left nothing to do to the beginning of the next. */
  readonly everyMs: number;
  readonly round: (modules: ModuleRef) => Promise<Round>;
}

/** Everything that runs on a timer. Every worker runs all of it; workers do not get in each other's way. */
export const TIMED_TASKS: readonly TimedTask[] = [
  every(250, 'outbox-relay', OutboxRelay, (outbox) => outbox.relay()),
  every(1_000, 'worker-orders', WorkerCommands, (commands) => commands.follow()),
  every(1_000, 'due-undo', DueUndo, (changes) => changes.undoDue()),
  every(1_000, 'key-safety', KeySafetyWatch, (keys) => keys.check()),
  every(1_000, 'audit-stream', AuditStream, (audit) => audit.send()),
  every(1_000, 'usage-sinks', UsageSinks, (sinks) => sinks.send()),
  every(2_000, 'quota-watch', QuotaWatch, (quotas) => quotas.check()),
  every(HEARTBEAT_MS, 'worker-heartbeat', WorkerHeartbeat, (worker) => worker.sendHeartbeat()),
  every(5_000, 'history-fingerprints', HistoryFingerprints, (history) => history.take()),
  every(5_000, 'review-sweeper', ReviewSweeper, (reviews) => reviews.sweep()),
  expiring(10_000, 'credit-holds'),
  every(10_000, 'queue-watch', QueueWatch, (queues) => queues.check()),
  every(20_000, 'webhook-sweeper', WebhookSweeper, (deliveries) => deliveries.sweep()),
  every(20_000, 'alert-sweeper', AlertSweeper, (messages) => messages.sweep()),
  every(60_000, 'abandoned-previews', AbandonedPreviews, (previews) => previews.fail()),
  expiring(60_000, 'approval-expiry'),
  every(60_000, 'idle-keys', IdleKeys, (keys) => keys.check()),
  every(60_000, 'alert-watch', AlertWatch, (alerts) => alerts.check()),
  every(60_000, 'preset-watch', PresetWatch, (presets) => presets.check()),
  every(60_000, 'backups', ScheduledBackups, (backups) => backups.check()),
  every(60_000, 'country-watch', CountryWatch, (countries) => countries.check()),
  expiring(10 * 60_000, 'deleted-keys'),
  expiring(10 * 60_000, 'history-expiry'),
  every(10 * 60_000, 'space-log', SpaceLog, (space) => space.note()),
  every(10 * 60_000, 'limit-expiry', LimitExpiry, (limits) => limits.expire()),
  every(10 * 60_000, 'preview-expiry', PreviewExpiry, (previews) => previews.expire()),
  expiring(10 * 60_000, 'traffic-retention'),
  every(60 * 60_000, 'ledger-months', LedgerMonths, (ledger) => ledger.create()),
  every(60 * 60_000, 'spending-watch', SpendingWatch, (accounts) => accounts.check()),
];

/** Injection token of the table, so that a test can have its own intervals. */
export const TIMETABLE = Symbol('timetable');

/** Runs the timetable from the start of the worker to its end. */
@Injectable()
export class Poller implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private loops = new Map<TimerName, Loop>();

  constructor(
    @Inject(TIMETABLE) private readonly tasks: readonly TimedTask[],
    private readonly modules: ModuleRef,
    private readonly wakeSignal: RelayWakeSignal,
    private readonly log: TimerLog,
    private readonly control: TimerControl,
  ) {}

  onApplicationBootstrap(): void {
    this.loops = new Map(
      this.tasks.map((task) => [task.timer, new Loop(task.name, () => this.run(task), task.everyMs)]),
    );
    for (const loop of this.loops.values()) loop.start();
    this.wakeSignal.onWake(() => this.loops.get('outbox-relay')?.wake());
    this.control.onWake((timer) => this.loops.get(timer)?.wake());
  }

  /** Finishes the rounds in hand: a batch of the outbox need not wait for its lease to run out. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.stop()));
  }

  /** One round, unless staff have paused the timer, with a record of it. */
  private async run({ timer, everyMs, round }: TimedTask): Promise<Next> {
    const admitted = this.control.admit(timer);
    if (admitted === null) return 'idle';
    const end = this.log.begin(timer, everyMs);
    try {
      const found = await round(this.modules);
      const next = nextOf(found);
      end({ did: didOf(found), nextInMs: next === 'more' ? 0 : everyMs });
      return next;
    } catch (error) {
      end({ error: error as Error, nextInMs: Math.max(everyMs, AFTER_FAILURE_MS) });
      throw error;
    } finally {
      // Those who have requested it wait to see it.
      if (admitted === 'by_hand') this.log.flushSoon();
    }
  }
}

function every<T>(
  everyMs: number,
  timer: TimerName,
  task: Type<T>,
  run: (task: T) => Promise<Round>,
): TimedTask {
  return { timer, name: task.name, everyMs, round: (modules) => run(modules.get(task, { strict: false })) };
}

function expiring(everyMs: number, timer: ExpiryTimer): TimedTask {
  return {
    ...every(everyMs, timer, Expiry, (expiry) => expiry.expire(timer)),
    name: `${Expiry.name} ${timer}`,
  };
}
