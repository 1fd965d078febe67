import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import type { TimerCommand } from '@app/database/timers/timer-command.entity';
import { TimerRepository, type LastRun, type TimerFacts } from '@app/database/timers/timer.repository';
import {
  isTimerName,
  evaluateTimer,
  TIMER_NAMES,
  timerRow,
  type TimerName,
  type TimerState,
} from '@app/domain/common/timers';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../audit/audit-log';

type Commands = TimerCommand & { allowedForSecs: number | null };

/** A timer, with what its workers have reported. */
export interface WatchedTimer {
  name: TimerName;
  state: TimerState;
  isPaused: boolean;
  last: LastRun | null;
  facts: TimerFacts | null;
  order: Commands | null;
}

/** Everything that runs on a timer, and what staff order of it. */
@Injectable()
export class TimersService {
  constructor(
    private readonly timers: TimerRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /** In the order of the table of timers. */
  async list(): Promise<WatchedTimer[]> {
    const [lasts, facts, commands, workerForSecs] = await Promise.all([
      this.timers.listLastRuns(),
      this.timers.listFacts(),
      this.timers.listCommands(),
      this.timers.workerForSecs(),
    ]);
    return TIMER_NAMES.map((name) => {
      const of = <T extends { name: string }>(all: T[]) => all.find((each) => each.name === name) ?? null;
      return evaluated({ name, last: of(lasts), facts: of(facts), order: of(commands) }, workerForSecs);
    });
  }

  /** @throws DomainError `timer_not_found` */
  async get(name: string): Promise<WatchedTimer> {
    const known = required(name);
    return (await this.list()).find((timer) => timer.name === known)!;
  }

  /**
   * Lets one worker run a timer now, also one that is paused.
   *
   * @throws DomainError `timer_not_found`
   */
  async run(actor: AuditActor, name: string, reason: string): Promise<void> {
    const timer = required(name);
    await this.changes.make(async (em) => {
      await this.timers.lockCommand(timer, em);
      await this.timers.setCommand(timer, { runRequestedAt: new Date() }, em);
      const event: AuditEntry = { actor, action: 'timer.run', target: { type: 'timer', id: timer }, reason };
      return { result: undefined, events: [event] };
    });
  }

  /**
   * Pauses a timer in all workers until a time, or until it is resumed. A run in hand ends. Replaces a pause before it.
   *
   * @throws DomainError `timer_not_found`; `timer_always_runs`
   */
  async pause(
    actor: AuditActor,
    name: string,
    { minutes, reason }: { minutes: number; reason: string },
  ): Promise<void> {
    const timer = required(name);
    const { alwaysRuns } = timerRow(timer);
    if (alwaysRuns !== undefined) throw new DomainError('timer_always_runs', { timer, because: alwaysRuns });
    await this.changes.make(async (em) => {
      const before = await this.timers.lockCommand(timer, em);
      const pausedUntil = new Date(Date.now() + minutes * 60_000);
      await this.timers.setCommand(timer, { pausedUntil, pausedBy: actor.name, pauseReason: reason }, em);
      const event: AuditEntry = {
        actor,
        action: 'timer.paused',
        target: { type: 'timer', id: timer },
        before: toState(before.pausedUntil),
        after: toState(pausedUntil),
        reason,
      };
      return { result: undefined, events: [event] };
    });
  }

  /** @throws DomainError `timer_not_found`; `status_unchanged` when it is not paused */
  async resume(actor: AuditActor, name: string, reason: string): Promise<void> {
    const timer = required(name);
    await this.changes.make(async (em) => {
      const before = await this.timers.lockCommand(timer, em);
      if (!isAhead(before.pausedUntil)) throw new DomainError('status_unchanged', { status: 'running' });
      await this.timers.setCommand(timer, { pausedUntil: new Date() }, em);
      const event: AuditEntry = {
        actor,
        action: 'timer.resumed',
        target: { type: 'timer', id: timer },
        before: toState(before.pausedUntil),
        after: toState(null),
        reason,
      };
      return { result: undefined, events: [event] };
    });
  }
}

function evaluated(
  timer: Omit<WatchedTimer, 'state' | 'isPaused'>,
  workerForSecs: number | null,
): WatchedTimer {
  const { last, facts, order } = timer;
  const isPaused = isAhead(order?.pausedUntil ?? null);
  const state = evaluateTimer({
    everySecs: (last?.everyMs ?? 0) / 1_000,
    isPaused,
    isFailing: facts?.error !== null && facts !== null,
    beganSecsAgo: last?.beganSecsAgo ?? null,
    allowedForSecs: order?.allowedForSecs ?? null,
    workerForSecs,
  });
  return { ...timer, state, isPaused };
}

function required(name: string): TimerName {
  if (isTimerName(name)) return name;
  const known = TIMER_NAMES.join(', ');
  throw new DomainError('timer_not_found', { timer: name.slice(0, 100), known }, { param: 'timer' });
}

function isAhead(time: Date | null): boolean {
  return time !== null && time > new Date();
}

function toState(pausedUntil: Date | null): Record<string, unknown> {
  return isAhead(pausedUntil) ? { paused_until: pausedUntil!.toISOString() } : { paused_until: null };
}
