import { connectRedis, type RedisTarget } from '@app/connections/redis-client';
import { inListeningTime } from '@app/database/common/listening-time';
import { once } from 'node:events';
import type { LimitStore, RequestAsk, RequestGrant, Slot } from './limit-store';

/** A process that begins waits no longer than this: it also serves while the store is down. */
const CONNECT_WITHIN_MS = 2_000;

/** A connection without a reply for so long is opened again. */
const SILENCE_MS = 2_000;

/** A window is a counter that expires with it. Returns granted, used and the milliseconds that are left. */
const TAKE_REQUESTS = `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local granted = math.max(0, math.min(tonumber(ARGV[2]), tonumber(ARGV[1]) - used))
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('INCRBY', KEYS[1], granted)
else
  redis.call('SET', KEYS[1], granted, 'PX', ARGV[3])
end
return {granted, used + granted, redis.call('PTTL', KEYS[1])}`;

/** Slots are a set, ordered by when they expire. Returns whether one was taken, and how many are. */
const TAKE_SLOT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local running = redis.call('ZCARD', KEYS[1])
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then running = running - 1 end
if running >= tonumber(ARGV[2]) then return {0, running} end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {1, running + 1}`;

const RENEW_SLOT = `
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[2]), ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const COUNT_SLOTS = `
local time = redis.call('TIME')
return redis.call('ZCOUNT', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000), '+inf')`;

const windowKey = (keyId: string) => `greenroom:requests:${keyId}`;
const slotsKey = (ownerId: string) => `greenroom:generations:${ownerId}`;

/** Counts for limits in Redis, by its clock. One script is one call; calls of one turn of the event loop go together. */
export class RedisLimitStore implements LimitStore {
  private readonly redis: ReturnType<typeof connectRedis>;

  constructor(target: RedisTarget) {
    this.redis = connectRedis({
      ...target,
      enableOfflineQueue: false,
      enableAutoPipelining: true,
      maxRetriesPerRequest: 0,
      // For a connection that is not ready yet. On the clock, so much longer than a process is busy at a time: `reply` has the others.
      socketTimeout: 5 * SILENCE_MS,
      connectTimeout: 2_000,
    });
    // The caller of each command gets its error; without a listener it would end the process.
    this.redis.on('error', () => undefined);
  }

  /** Waits until Redis takes commands, has refused the connection, or has not responded in time. */
  async connect(): Promise<void> {
    await once(this.redis, 'ready', { signal: AbortSignal.timeout(CONNECT_WITHIN_MS) }).catch(
      () => undefined,
    );
  }

  async takeRequests(asks: RequestAsk[], windowMs: number): Promise<RequestGrant[]> {
    return Promise.all(asks.map((ask) => this.takeRequestsOf(ask, windowMs)));
  }

  async findWindow(keyId: string): Promise<Omit<RequestGrant, 'granted'> | null> {
    const [used, endsInMs] = await Promise.all([
      this.reply(this.redis.get(windowKey(keyId))),
      this.reply(this.redis.pttl(windowKey(keyId))),
    ]);
    return used === null || endsInMs <= 0 ? null : { used: Number(used), endsInMs };
  }

  async takeSlot(
    { id, ownerId }: Slot,
    limit: number,
    leaseMs: number,
  ): Promise<{ taken: boolean; running: number }> {
    const [taken, running] = await this.run(TAKE_SLOT, slotsKey(ownerId), [id, limit, leaseMs]);
    return { taken: taken === 1, running: running ?? 0 };
  }

  async renewSlots(slots: Slot[], leaseMs: number): Promise<void> {
    await Promise.all(slots.map(({ id, ownerId }) => this.run(RENEW_SLOT, slotsKey(ownerId), [id, leaseMs])));
  }

  async freeSlots(slots: Slot[]): Promise<void> {
    await Promise.all(slots.map(({ id, ownerId }) => this.reply(this.redis.zrem(slotsKey(ownerId), id))));
  }

  async countSlots(ownerId: string): Promise<number> {
    return this.run<number>(COUNT_SLOTS, slotsKey(ownerId), []);
  }

  close(): void {
    this.redis.disconnect();
  }

  private async takeRequestsOf(
    { keyId, limit, requested }: RequestAsk,
    windowMs: number,
  ): Promise<RequestGrant> {
    const [granted = 0, used = 0, endsInMs = 0] = await this.run(TAKE_REQUESTS, windowKey(keyId), [
      limit,
      requested,
      windowMs,
    ]);
    return { granted, used, endsInMs };
  }

  private async run<T = number[]>(script: string, key: string, values: (string | number)[]): Promise<T> {
    return (await this.reply(this.redis.eval(script, 1, key, ...values))) as T;
  }

  /** A reply, unless none comes while this process listens: then the connection is of no use any more. */
  private async reply<T>(sent: Promise<T>): Promise<T> {
    return inListeningTime(sent, SILENCE_MS, () => {
      this.redis.disconnect(true);
      return sent;
    });
  }
}
