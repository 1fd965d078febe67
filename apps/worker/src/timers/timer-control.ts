import type { TimerCommands } from '@app/database/timers/timer.repository';
import { isTimerName, timerRow, type TimerName } from '@app/domain/common/timers';
import { Injectable } from '@nestjs/common';

/** Which timers of this worker may run, as of the last commands that it has read. A pause ends also when no further one is read. */
@Injectable()
export class TimerControl {
  private pausedUntil = new Map<string, number>();
  private readonly requested = new Set<TimerName>();
  private wake: (name: TimerName) => void = () => undefined;

  /** What is done when a timer has to run now; the last one that was set. */
  onWake(wake: (name: TimerName) => void): void {
    this.wake = wake;
  }

  /** Takes commands: starts what has to run, and what is no longer paused. */
  follow({ paused, toRun }: TimerCommands): void {
    const before = [...this.pausedUntil.keys()];
    const now = performance.now();
    this.pausedUntil = new Map(paused.map(({ name, forMs }) => [name, now + forMs]));
    const resumed = before.filter((name) => !this.pausedUntil.has(name));
    for (const name of toRun.filter(isTimerName)) this.requested.add(name);
    for (const name of new Set([...toRun, ...resumed])) if (isTimerName(name)) this.wake(name);
  }

  /** How a run may begin: by the clock, by hand, though it may be paused, or not at all. */
  admit(name: TimerName): 'by_clock' | 'by_hand' | null {
    if (this.requested.delete(name)) return 'by_hand';
    const isPaused = performance.now() < (this.pausedUntil.get(name) ?? 0);
    return isPaused && timerRow(name).alwaysRuns === undefined ? null : 'by_clock';
  }
}
