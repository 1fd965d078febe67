import { AppConfig } from '@app/config/app-config';
import { exchangeHttp } from '@app/connections/http-exchange';
import {
  UsageCursorRepository,
  type UsageLease,
  type UsageProgress,
} from '@app/database/credits/usage-cursor.repository';
import {
  linesAtOnce,
  readUsageResponse,
  usageProblem,
  writeUsage,
  type UsageLine,
  type UsageOutcome,
} from '@app/domain/credits/usage-formats';
import type { UsageSink } from '@app/domain/credits/usage-sink';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { ended, joined, type Round } from '../loop';

/** Of the ledger that one batch looks at, whether the lines are for the sink or not. */
const SPAN_IDS = 20_000;
const BATCH_LINES = 500;
/** Of a sink whose requests have one line each. */
const SINGLE_LINES = 100;
const AT_ONCE = 10;
/** Of one batch, with all its requests; the lease is longer, so that no two workers send the same. */
const BATCH_MS = 10_000;
const LEASE_SECS = 15;
const MAX_RESPONSE_BYTES = 64_000;
const MAX_PAUSE_SECS = 60;

/** What became of some lines: those that have arrived, and why the others have not. */
interface Delivery {
  arrived: readonly UsageLine[];
  problem: string | null;
}

const arrivedAll = (lines: readonly UsageLine[]): Delivery => ({ arrived: lines, problem: null });
const arrivedNone = (problem: string): Delivery => ({ arrived: [], problem });

/**
 * Sends the usage of the ledger to the sinks that are configured, each from its cursor in the database. The cursor moves when the
 * receiver has a batch: if a process dies before that, the batch is sent again, and the receiver knows each line by its id. A
 * sink that is slow or away does not hold up the others.
 */
@Injectable()
export class UsageSinks implements BeforeApplicationShutdown {
  private readonly logger = new Logger(UsageSinks.name);
  private readonly running = new Map<string, Promise<Round>>();
  private readonly stopping = new AbortController();
  /** Up to here, every line of the ledger can be seen; what the next mark waits for. */
  private settledId = 0;
  private mark: { lineId: number; transaction: string } | null = null;

  constructor(
    private readonly config: AppConfig,
    private readonly cursors: UsageCursorRepository,
  ) {}

  /** Begins a batch for every sink without one, and waits for the first to end. */
  async send(): Promise<Round> {
    const { usageSinks } = this.config;
    if (usageSinks.length === 0) return 'idle';
    await this.settle();
    const idle = usageSinks.filter(({ name }) => !this.running.has(name));
    for (const sink of idle)
      this.running.set(
        sink.name,
        this.sendTo(sink).finally(() => this.running.delete(sink.name)),
      );
    return Promise.race(this.running.values());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('the worker stops'));
    await Promise.allSettled(this.running.values());
  }

  /**
   * Lines get their ids before they are committed, so a line may appear behind one that was sent. What is sent ends where all
   * transactions have ended that could still bring one.
   */
  private async settle(): Promise<void> {
    if (this.mark && (await this.cursors.hasPassed(this.mark.transaction))) {
      this.settledId = this.mark.lineId;
      this.mark = null;
    }
    this.mark ??= await this.cursors.readMark();
  }

  /** Batches until nothing is left, at most for a few seconds. */
  private async sendTo(sink: UsageSink): Promise<Round> {
    const rounds: Round[] = [];
    const endsAt = performance.now() + BATCH_MS;
    do rounds.push(await this.sendBatch(sink));
    while (rounds.at(-1) !== 'idle' && performance.now() < endsAt && !this.stopping.signal.aborted);
    return joined(rounds);
  }

  private async sendBatch(sink: UsageSink): Promise<Round> {
    const upTo = this.settledId;
    if ((await this.cursors.get(sink.name)).lineId >= upTo) return 'idle';
    const lease = await this.cursors.claim(sink.name, LEASE_SECS);
    if (!lease) return 'idle';
    const end = Math.min(upTo, lease.lineId + SPAN_IDS);
    const limit = linesAtOnce(sink.format) === 1 ? SINGLE_LINES : BATCH_LINES;
    const lines = await this.cursors.listLines(sink, lease, end, limit);
    const { arrived, problem } = await this.deliver(sink, lines);
    await this.cursors.release(sink.name, lease, {
      ...(problem === null && lines.length < limit
        ? { lineId: end, ahead: [] }
        : positionAfter(lease, lines, arrived)),
      delivered: arrived.length,
      ...(await this.pauseAfter(sink, problem)),
    });
    return problem === null ? ended('more', { line: arrived.length }) : 'idle';
  }

  /** Longer after each failure in a row. */
  private async pauseAfter(
    sink: UsageSink,
    problem: string | null,
  ): Promise<Pick<UsageProgress, 'error' | 'pauseSecs'>> {
    if (problem === null) return { error: null, pauseSecs: 0 };
    const { failures } = await this.cursors.get(sink.name);
    if (failures === 0) this.logger.warn(`The usage sink ${sink.name} fails: ${problem}`);
    return { error: problem.slice(0, 500), pauseSecs: Math.min(MAX_PAUSE_SECS, 2 ** Math.min(failures, 6)) };
  }

  private async deliver(sink: UsageSink, lines: readonly UsageLine[]): Promise<Delivery> {
    const signal = AbortSignal.any([AbortSignal.timeout(BATCH_MS), this.stopping.signal]);
    const size = linesAtOnce(sink.format);
    const arrived: UsageLine[] = [];
    // One request after the other, or several at once where each has one line.
    const atOnce = size === 1 ? AT_ONCE : 1;
    const parts = chunks(lines, size);
    for (const some of chunks(parts, atOnce)) {
      const found = await Promise.all(some.map((part) => this.deliverPart(sink, part, signal)));
      arrived.push(...found.flatMap((part) => part.arrived));
      const failed = found.find(({ problem }) => problem !== null);
      if (failed) return { arrived, problem: failed.problem };
    }
    return arrivedAll(arrived);
  }

  /** One request, or several smaller ones when the receiver refuses a line or has had some before. */
  private async deliverPart(
    sink: UsageSink,
    lines: readonly UsageLine[],
    signal: AbortSignal,
  ): Promise<Delivery> {
    const [first] = lines;
    if (!first) return arrivedAll(lines);
    const problem = lines.map((line) => usageProblem(sink, line)).find((each) => each !== null);
    const found: UsageOutcome = problem
      ? { outcome: 'refused', reason: problem }
      : await this.post(sink, lines, signal);
    switch (found.outcome) {
      case 'delivered':
        return arrivedAll(lines);
      case 'failed':
        return arrivedNone(found.reason);
      case 'some_there': {
        const [there, others] = [true, false].map((isThere) =>
          lines.filter((_, place) => found.alreadyThere.includes(place) === isThere),
        ) as [UsageLine[], UsageLine[]];
        if (there.length === 0) return arrivedNone('the receiver has had lines that were not sent');
        const rest = await this.deliverPart(sink, others, signal);
        return { ...rest, arrived: [...there, ...rest.arrived] };
      }
      default: {
        // Nothing is sent behind it, until it is accepted or staff replay from a later time.
        if (lines.length === 1)
          return arrivedNone(`line ${first.id} of account ${first.accountId}: ${found.reason}`);
        const half = Math.ceil(lines.length / 2);
        const before = await this.deliverPart(sink, lines.slice(0, half), signal);
        if (before.problem !== null) return before;
        const rest = await this.deliverPart(sink, lines.slice(half), signal);
        return { ...rest, arrived: [...before.arrived, ...rest.arrived] };
      }
    }
  }

  private async post(
    sink: UsageSink,
    lines: readonly UsageLine[],
    signal: AbortSignal,
  ): Promise<UsageOutcome> {
    try {
      const { status, body } = await exchangeHttp({
        method: 'POST',
        url: new URL(sink.url),
        ...writeUsage(sink, this.config.cell, lines),
        signal,
        timeoutMs: BATCH_MS,
        maxBytes: MAX_RESPONSE_BYTES,
      });
      return readUsageResponse(sink.format, status, body.toString('utf8'));
    } catch (error) {
      return { outcome: 'failed', reason: (error as Error).message };
    }
  }
}

/** The last line before which none is missing, and those behind it that have arrived. */
function positionAfter(
  { lineId, ahead }: UsageLease,
  lines: readonly UsageLine[],
  arrived: readonly UsageLine[],
): Pick<UsageProgress, 'lineId' | 'ahead'> {
  const ids = new Set(arrived.map(({ id }) => id));
  const missing = lines.findIndex(({ id }) => !ids.has(id));
  const last = lines.at(missing === -1 ? -1 : missing - 1);
  const reached = missing === 0 || !last ? lineId : Number(last.id);
  const later = [...ahead, ...[...ids].map(Number)].filter((id) => id > reached);
  return { lineId: reached, ahead: later };
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}
