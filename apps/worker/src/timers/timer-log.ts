import type { TimerReport } from '@app/database/timers/timer.repository';
import type { Counts, TimerName } from '@app/domain/common/timers';
import { Injectable } from '@nestjs/common';

/** However often timers run, a worker reports at most so often, unless one begins to fail or works again. */
const REPORT_EVERY_MS = 5_000;
/** A run that takes longer is shown while it runs. */
const SHOWN_RUNNING_MS = 1_000;
const MAX_ERROR = 500;

interface Run {
  beganAt: number;
  endedAt: number | null;
}

interface Entry {
  everyMs: number;
  runs: number;
  failures: number;
  last: Run | null;
  running: number | null;
  did: Record<string, number>;
  didAt: number | null;
  error: string | null;
  failedAt: number | null;
  nextAt: number | null;
  isChanged: boolean;
}

/** The end of a run. */
export interface RunEnd {
  did?: Counts;
  error?: Error;
  nextInMs: number;
}

/** What the timers of this worker have done. In memory, and reported now and then. */
@Injectable()
export class TimerLog {
  private readonly entries = new Map<TimerName, Entry>();
  private reportedAt = -Infinity;
  private isUrgent = false;

  /** Notes the beginning of a run; the function that is returned notes its end. */
  begin(name: TimerName, everyMs: number): (end: RunEnd) => void {
    const entry = this.entries.get(name) ?? newEntry(everyMs);
    this.entries.set(name, entry);
    const beganAt = performance.now();
    Object.assign(entry, { running: beganAt, isChanged: true });
    return ({ did = {}, error, nextInMs }) => {
      const now = performance.now();
      const failed = error ? firstLine(error) : null;
      if ((failed === null) !== (entry.error === null)) this.isUrgent = true;
      entry.runs += 1;
      entry.failures += error ? 1 : 0;
      Object.assign(entry, { last: { beganAt, endedAt: now }, running: null, isChanged: true });
      Object.assign(entry, { error: failed, failedAt: error ? now : entry.failedAt, nextAt: now + nextInMs });
      if (add(entry.did, did)) entry.didAt = now;
    };
  }

  /** The next report is not to wait. */
  flushSoon(): void {
    this.isUrgent = true;
  }

  /** Reports what has changed, when it is time to. What could not be sent is sent with the next report. */
  async report(send: (reports: TimerReport[]) => Promise<void>): Promise<void> {
    const now = performance.now();
    if (!this.isUrgent && now - this.reportedAt < REPORT_EVERY_MS) return;
    const changed = [...this.entries].filter(([, { isChanged }]) => isChanged);
    const reports = changed.map(([name, entry]) => toReport(name, entry, now));
    const sent = changed.map(([, entry]) => entry.did);
    for (const [, entry] of changed) Object.assign(entry, { did: {}, isChanged: false });
    this.isUrgent = false;
    try {
      await send(reports);
      this.reportedAt = now;
    } catch (error) {
      changed.forEach(([, entry], index) => {
        add(entry.did, sent[index]!);
        entry.isChanged = true;
      });
      throw error;
    }
  }
}

function newEntry(everyMs: number): Entry {
  const never = { last: null, running: null, didAt: null, error: null, failedAt: null, nextAt: null };
  return { everyMs, runs: 0, failures: 0, did: {}, isChanged: true, ...never };
}

/** Whether anything was added. */
function add(sum: Record<string, number>, counts: Counts): boolean {
  const counted = Object.entries(counts).filter(([, count]) => count > 0);
  for (const [what, count] of counted) sum[what] = (sum[what] ?? 0) + count;
  return counted.length > 0;
}

function toReport(name: string, entry: Entry, now: number): TimerReport {
  const { everyMs, runs, failures, did, error, last, running } = entry;
  const isRunning = running !== null && (last === null || now - running > SHOWN_RUNNING_MS);
  const shown = isRunning ? { beganAt: running, endedAt: null } : last!;
  const ago = (at: number | null) => (at === null ? null : now - at);
  return {
    name,
    everyMs,
    runs,
    failures,
    error,
    beganMsAgo: now - shown.beganAt,
    endedMsAgo: ago(shown.endedAt),
    tookMs: shown.endedAt === null ? null : shown.endedAt - shown.beganAt,
    did: Object.keys(did).length === 0 ? null : did,
    didMsAgo: Object.keys(did).length === 0 ? null : ago(entry.didAt),
    failedMsAgo: ago(entry.failedAt),
    nextInMs: isRunning || entry.nextAt === null ? null : Math.max(0, entry.nextAt - now),
  };
}

function firstLine({ message }: Error): string {
  return message.split('\n')[0]!.slice(0, MAX_ERROR);
}
