import { BoundedMap } from '@app/domain/common/bounded-map';
import { MINUTE_MS } from '@app/domain/keys/request-limits';
import { Inject, Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMIT_STORE } from './limit-store.provider';
import type { LimitStore, RequestAsk, RequestGrant } from './limit-store';
import { StoreCalls } from './store-calls';

export const WINDOW_MS = MINUTE_MS;
/** Keys whose window is known; a key that is evicted starts again with what the store says. */
const MAX_WINDOWS = 100_000;
const BATCH_LIMIT = 500;
/** Of its limit, what a process takes beside the first request: a key that calls now and then is one write a minute. */
const FIRST_BLOCK = 0.02;
/** Of what is left, the most that a process takes at once. */
const BLOCK = 1 / 8;

const UNUSED = { used: 0, granted: 0, passed: 0, owed: 0 };

/** Whose requests are counted, and how many are allowed in a minute, or in another window. */
interface LimitedKey {
  /** Of the window: each of a key has its own. */
  readonly keyId: string;
  readonly requestsPerMinute: number;
  readonly windowMs?: number;
}

export interface RequestVerdict {
  readonly passed: boolean;
  readonly limit: number;
  /** Requests that are left in the window, as far as this process knows. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly endsInMs: number;
}

type Waiter = (verdict: RequestVerdict | 'late') => void;

/** What this process knows of a key's window. */
interface Window {
  readonly keyId: string;
  readonly windowMs: number;
  limit: number;
  /** On the monotonic clock, in whole milliseconds. */
  endsAtMs: number;
  /** Counted by the store over all processes, as of its last reply. */
  used: number;
  /** Granted to this process by the store, and not yet used. */
  granted: number;
  /** Let pass here in the window. */
  passed: number;
  /** What the store granted to this process last, in this window or the one before: so many pass while it is late. */
  lastBlock: number;
  /** Let pass while the store was late: it has still to grant them. At most the last block. */
  owed: number;
  waiting: Waiter[];
}

/**
 * Requests per minute and key, or in another window, over all processes.
 *
 * The store counts; a process fetches requests from it in blocks and lets them pass without another query. While the store
 * responds, a limit is never exceeded; the first request of a window waits for it. A block is never larger than what the process
 * has let pass in the window (or a small part of the limit, at first), nor than an eighth of what is left: so little is
 * held back, and near the limit every request is counted one by one.
 *
 * While the store is down, each process counts alone: no key makes more requests there than its limit. While it is late, which may
 * be because this process is too busy to receive its replies, a key makes as many more requests as the store has last granted it
 * here, and others are refused. What the store then grants pays for those first, and is left to the key's next requests.
 */
@Injectable()
export class RequestLimiter {
  readonly calls = new StoreCalls('Requests per minute');
  private readonly windows = new BoundedMap<string, Window>(MAX_WINDOWS);
  /** Windows with requests that wait for the store. */
  private readonly asking = new Set<Window>();
  private flushing: Promise<void> | null = null;

  constructor(@Inject(LIMIT_STORE) private readonly store: LimitStore) {}

  /** Counts a request. Synchronous when the store need not be queried, which is nearly always for a busy key. */
  take(key: LimitedKey): RequestVerdict | Promise<RequestVerdict | 'late'> {
    const nowMs = performance.now();
    const window = this.windowOf(key, nowMs);
    if (window.granted > 0) {
      window.granted -= 1;
      window.passed += 1;
      return verdict(window, true, nowMs);
    }
    if (window.used >= window.limit) return verdict(window, false, nowMs);
    if (this.calls.paused) return this.passUnchecked(window, nowMs);
    return new Promise((resolve) => {
      window.waiting.push(resolve);
      this.askFor(window);
    });
  }

  /** What `take` would say, without counting. Reads the store; null when it does not reply. */
  async peek({
    keyId,
    requestsPerMinute: limit,
    windowMs = WINDOW_MS,
  }: LimitedKey): Promise<RequestVerdict | null> {
    const reply = await this.calls.ask(() => this.store.findWindow(keyId));
    if (typeof reply === 'string') return null;
    const { used, endsInMs } = reply.value ?? { used: 0, endsInMs: windowMs };
    const own = this.windows.get(keyId);
    const held = own && own.endsAtMs > performance.now() ? own.granted : 0;
    const remaining = Math.max(0, limit - used + held);
    return { passed: remaining > 0, limit, remaining, endsInMs };
  }

  private windowOf(
    { keyId, requestsPerMinute: limit, windowMs = WINDOW_MS }: LimitedKey,
    nowMs: number,
  ): Window {
    let window = this.windows.get(keyId);
    if (!window || window.endsAtMs <= nowMs) {
      // A minute that has ended hands its waiting requests on: no batch has a key twice.
      window ??= { keyId, windowMs, limit, endsAtMs: 0, ...UNUSED, lastBlock: 0, waiting: [] };
      Object.assign(window, { endsAtMs: endsAt(nowMs, windowMs), ...UNUSED });
      // Set again each minute, so the one that is evicted belongs to a key that makes no requests.
      this.windows.set(keyId, window);
    }
    if (window.limit !== limit) Object.assign(window, { limit, granted: 0 });
    return window;
  }

  private askFor(window: Window): void {
    this.asking.add(window);
    this.flushing ??= this.flush();
  }

  private async flush(): Promise<void> {
    // A turn of the event loop gathers the keys of requests that arrived together.
    await nextTurn();
    while (this.asking.size > 0) {
      const [{ windowMs }] = [...this.asking] as [Window];
      const batch = [...this.asking].filter((window) => window.windowMs === windowMs).slice(0, BATCH_LIMIT);
      for (const window of batch) this.asking.delete(window);
      const asks = batch.map(toAsk);
      const sentAtMs = performance.now();
      let taking: Promise<RequestGrant[]> | undefined;
      const reply = await this.calls.ask(() => (taking = this.store.takeRequests(asks, windowMs)));
      batch.forEach((window, index) => {
        const ask = asks[index]!;
        if (typeof reply !== 'string') return this.settle(window, ask, reply.value[index]!);
        this.settleWithoutStore(window, reply);
        void taking?.then(
          (grants) => this.keep(window, ask, grants[index]!, sentAtMs),
          () => undefined,
        );
      });
    }
    this.flushing = null;
  }

  private settle(window: Window, ask: RequestAsk, { granted, used, endsInMs }: RequestGrant): void {
    const nowMs = performance.now();
    window.endsAtMs = endsAt(nowMs, endsInMs);
    window.used = used;
    receive(window, granted);
    for (const response of window.waiting.splice(0, window.granted)) {
      window.granted -= 1;
      window.passed += 1;
      response(verdict(window, true, nowMs));
    }
    if (granted < ask.requested || used >= window.limit)
      window.waiting.splice(0).forEach((response) => response(verdict(window, false, nowMs)));
    else if (window.waiting.length > 0) this.askFor(window);
  }

  /** A grant that came too late for its requests is for the next ones of the window: the store has counted it. */
  private keep(
    window: Window,
    ask: RequestAsk,
    { granted, used, endsInMs }: RequestGrant,
    sentAtMs: number,
  ): void {
    // By the store's clock no sooner.
    const endsAtMs = endsAt(sentAtMs, endsInMs);
    if (endsAtMs <= performance.now() || window.limit !== ask.limit) return;
    window.endsAtMs = endsAtMs;
    window.used = Math.max(window.used, used);
    receive(window, granted);
  }

  private settleWithoutStore(window: Window, why: 'down' | 'late'): void {
    const nowMs = performance.now();
    for (const response of window.waiting.splice(0))
      response(why === 'late' ? this.passLate(window, nowMs) : this.passUnchecked(window, nowMs));
  }

  /** Lets a request pass as one of another block like the last. */
  private passLate(window: Window, nowMs: number): RequestVerdict | 'late' {
    const { lastBlock, limit, owed, passed, used } = window;
    if (owed >= lastBlock || passed >= limit || used + owed >= limit) {
      this.calls.late += 1;
      return 'late';
    }
    window.owed += 1;
    window.passed += 1;
    return verdict(window, true, nowMs);
  }

  /** Counts a request here alone. */
  private passUnchecked(window: Window, nowMs: number): RequestVerdict {
    const passed = window.used + window.owed < window.limit;
    if (passed) {
      window.used += 1;
      window.passed += 1;
      this.calls.unchecked += 1;
    }
    return verdict(window, passed, nowMs);
  }
}

/** Whole milliseconds: a sum of fractions may be rounded up, and then a window of 60 s would have more than 60 s left. */
function endsAt(nowMs: number, endsInMs: number): number {
  return Math.floor(nowMs) + endsInMs;
}

function receive(window: Window, granted: number): void {
  const paid = Math.min(window.owed, granted);
  window.owed -= paid;
  window.granted += granted - paid;
  window.lastBlock = granted;
}

function toAsk({ keyId, limit, used, passed, owed, waiting }: Window): RequestAsk {
  const block = Math.min(
    Math.max(passed, Math.floor(limit * FIRST_BLOCK)),
    Math.floor((limit - used) * BLOCK),
  );
  return { keyId, limit, requested: waiting.length + owed + block };
}

function verdict(
  { limit, used, granted, owed, endsAtMs }: Window,
  passed: boolean,
  nowMs: number,
): RequestVerdict {
  const remaining = passed ? Math.max(0, limit - used + granted - owed) : 0;
  return { passed, limit, remaining, endsInMs: Math.max(0, endsAtMs - nowMs) };
}
