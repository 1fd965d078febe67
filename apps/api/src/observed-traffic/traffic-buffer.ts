import type { KeyUseMark } from '@app/database/keys/api-key.repository';
import type { LetInRequest, Refusal, TrafficCount } from '@app/database/traffic/observed-traffic.repository';
import { formatIpAddress, isSameAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import { OTHER_ADDRESSES, UNKNOWN_ADDRESS, type TrafficOutcome } from '@app/domain/traffic/traffic';

/** Counts of one key that are separate between two flushes; more addresses than that are counted together. */
const MAX_COUNTS_PER_KEY = 200;
const MAX_COUNTS = 50_000;
const MAX_KEYS = 100_000;
const MAX_REFUSALS_PER_KEY = 50;
const MAX_REFUSALS = 5_000;
const MAX_REQUESTS_PER_KEY = 100;
const MAX_REQUESTS = 5_000;
const HOUR_MS = 3_600_000;
/** How long more of the same waits to be stored after something of its key was. What is new is due at once. */
const HOLD_MS = 8_000;
/** Counts and uses of a key from one flush to the next. */
const STORED_PER_KEY = 8;

/** One request with a known key. */
export interface Sighting {
  keyId: string;
  /** Which secret let the request in; null when it was not let in. */
  secretNumber: number | null;
  atMs: number;
  /** Method and path with its placeholders. */
  route: string;
  /** Null when unknown. */
  address: IpAddress | null;
  outcome: TrafficOutcome;
}

interface Counter {
  readonly keyId: string;
  readonly route: string;
  readonly outcome: TrafficOutcome;
  readonly address: IpAddress | typeof OTHER_ADDRESSES | null;
  /** Since it was last taken. */
  requests: number;
  firstAtMs: number;
  lastAtMs: number;
  /** Whether it was never taken before: then it may become a row more. */
  isNew: boolean;
}

interface Use {
  readonly keyId: string;
  readonly secretNumber: number;
  atMs: number;
  address: IpAddress | null;
  /** Whether it was taken as it is. */
  isTaken: boolean;
}

/** Reused from one flush to the next: what every flush throws away outlives V8's young generation before. */
interface KeyTraffic {
  readonly keyId: string;
  /** Nearly always a few, so they are looked through. */
  counters: Counter[];
  refusals: Refusal[];
  requests: LetInRequest[];
  /** One for each secret: nearly always one. */
  uses: Use[];
  /** Whether anything has come since it was last taken. */
  isPending: boolean;
  /** Whether anything but more of the same has. */
  isNews: boolean;
  /** On a monotonic clock. */
  takenAtMs: number;
}

/** What a buffer has gathered. */
interface Gathered {
  counters: Readonly<Counter>[];
  refusals: Refusal[];
  requests: LetInRequest[];
  uses: Readonly<Use>[];
}

/**
 * Gathers requests between two flushes, at a cost of well under a microsecond each. Always bounded: it loses
 * detail first, and requests last. What is gathered over the turn of an hour counts for the earlier one.
 */
export class TrafficBuffer {
  /** Requests that were not counted, since the process began. */
  dropped = 0;
  private keys = new Map<string, KeyTraffic>();
  private pending: KeyTraffic[] = [];
  /** Of those that are pending. */
  private counts = 0;
  private refusals = 0;
  private requests = 0;

  add(sighting: Sighting): void {
    const { keyId, secretNumber, atMs, address } = sighting;
    const traffic = this.of(keyId);
    if (!traffic) {
      this.dropped += 1;
      return;
    }
    this.count(traffic, sighting, address, 1, atMs);
    if (secretNumber !== null) markUse(traffic, secretNumber, atMs, address);
  }

  /** Only the newest of each key stay. */
  refuse(refusal: Refusal): void {
    const traffic = this.of(refusal.keyId);
    if (!traffic) return;
    const { refusals } = traffic;
    if (refusals.length >= MAX_REFUSALS_PER_KEY) refusals.shift();
    else if (this.refusals >= MAX_REFUSALS) return;
    else this.refusals += 1;
    refusals.push(refusal);
    traffic.isNews = true;
  }

  /** A request that was let in, to be found by its id. Only the newest of each key stay. */
  keep(request: LetInRequest): void {
    const traffic = this.of(request.keyId);
    if (!traffic) return;
    const { requests } = traffic;
    if (requests.length >= MAX_REQUESTS_PER_KEY) requests.shift();
    else if (this.requests >= MAX_REQUESTS) return;
    else this.requests += 1;
    requests.push(request);
    traffic.isNews = true;
  }

  /**
   * Takes what is due: all of a key with anything new, and of the others those of which nothing was taken for `HOLD_MS`.
   *
   * @param nowMs on a monotonic clock; everything is due without it
   */
  take(nowMs?: number): Gathered {
    const gathered: Gathered = { counters: [], refusals: [], requests: [], uses: [] };
    const waiting: KeyTraffic[] = [];
    for (const traffic of this.pending) {
      if (nowMs !== undefined && !traffic.isNews && nowMs - traffic.takenAtMs < HOLD_MS) {
        waiting.push(traffic);
        continue;
      }
      this.takeFrom(traffic, gathered);
      traffic.takenAtMs = nowMs ?? traffic.takenAtMs;
    }
    this.pending = waiting;
    return gathered;
  }

  /** Puts back what could not be stored. It is due at once. */
  putBack({ counters, refusals, requests, uses }: Gathered): void {
    for (const counter of counters) {
      const { keyId, address, requests, firstAtMs, lastAtMs } = counter;
      const traffic = this.of(keyId);
      if (traffic) {
        this.count(traffic, { ...counter, atMs: firstAtMs }, address, requests, lastAtMs);
        traffic.isNews = true;
      } else this.dropped += requests;
    }
    for (const refusal of refusals) this.refuse(refusal);
    for (const request of requests) this.keep(request);
    for (const { keyId, secretNumber, atMs, address } of uses) {
      const traffic = this.of(keyId);
      if (traffic) markUse(traffic, secretNumber, atMs, address);
    }
  }

  private takeFrom(traffic: KeyTraffic, { counters, refusals, requests, uses }: Gathered): void {
    for (const counter of traffic.counters) {
      if (counter.requests === 0) continue;
      counters.push({ ...counter });
      counter.requests = 0;
      counter.isNew = false;
      this.counts -= 1;
    }
    for (const use of traffic.uses) {
      if (use.isTaken) continue;
      uses.push({ ...use });
      use.isTaken = true;
    }
    refusals.push(...traffic.refusals);
    this.refusals -= traffic.refusals.length;
    if (traffic.refusals.length > 0) traffic.refusals = [];
    requests.push(...traffic.requests);
    this.requests -= traffic.requests.length;
    if (traffic.requests.length > 0) traffic.requests = [];
    // A key that is used from ever new addresses must not keep the old ones.
    if (traffic.counters.length > STORED_PER_KEY) traffic.counters = [];
    if (traffic.uses.length > STORED_PER_KEY) traffic.uses = [];
    traffic.isPending = false;
    traffic.isNews = false;
  }

  /** Null without room for another key. */
  private of(keyId: string): KeyTraffic | null {
    const known = this.keys.get(keyId);
    if (!known && this.keys.size >= MAX_KEYS && !this.makeRoom()) return null;
    const traffic = known ?? this.begin(keyId);
    if (!traffic.isPending) {
      traffic.isPending = true;
      this.pending.push(traffic);
    }
    return traffic;
  }

  private begin(keyId: string): KeyTraffic {
    const traffic: KeyTraffic = {
      keyId,
      counters: [],
      refusals: [],
      requests: [],
      uses: [],
      isPending: false,
      isNews: true,
      takenAtMs: -Infinity,
    };
    this.keys.set(keyId, traffic);
    return traffic;
  }

  /** Evicts the keys of which nothing is pending; whether there were any. */
  private makeRoom(): boolean {
    if (this.pending.length === this.keys.size) return false;
    this.keys = new Map(this.pending.map((traffic) => [traffic.keyId, traffic]));
    return true;
  }

  private count(
    traffic: KeyTraffic,
    sighting: Pick<Sighting, 'route' | 'outcome' | 'atMs'>,
    address: Counter['address'],
    requests: number,
    lastAtMs: number,
  ): void {
    const counter =
      findCounter(traffic.counters, sighting, address) ?? this.addCounter(traffic, sighting, address);
    if (counter === null) {
      this.dropped += requests;
      return;
    }
    if (counter.requests === 0) {
      this.counts += 1;
      counter.firstAtMs = sighting.atMs;
      counter.lastAtMs = lastAtMs;
    }
    counter.requests += requests;
    if (sighting.atMs < counter.firstAtMs) counter.firstAtMs = sighting.atMs;
    if (lastAtMs > counter.lastAtMs) counter.lastAtMs = lastAtMs;
  }

  /** Null without room even for the counts of all addresses together. */
  private addCounter(
    traffic: KeyTraffic,
    sighting: Pick<Sighting, 'route' | 'outcome' | 'atMs'>,
    requested: Counter['address'],
  ): Counter | null {
    const { keyId, counters } = traffic;
    const full = counters.length >= MAX_COUNTS_PER_KEY || this.counts >= MAX_COUNTS;
    const address = full ? OTHER_ADDRESSES : requested;
    const known = full && findCounter(counters, sighting, address);
    if (known) return known;
    // Operations and outcomes are few: this is reached only when nothing could be stored for long.
    if (this.counts >= 2 * MAX_COUNTS) return null;
    const { route, outcome, atMs } = sighting;
    const counter = {
      keyId,
      route,
      outcome,
      address,
      requests: 0,
      firstAtMs: atMs,
      lastAtMs: atMs,
      isNew: true,
    };
    traffic.counters = withOneMore(counters, counter);
    traffic.isNews = true;
    return counter;
  }
}

/** Nearly every list stays at one item: V8 makes room for seventeen with the first that is pushed. */
function withOneMore<T>(list: T[], item: T): T[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

function findCounter(
  counters: readonly Counter[],
  { route, outcome }: Pick<Sighting, 'route' | 'outcome'>,
  address: Counter['address'],
): Counter | undefined {
  for (const counter of counters) {
    if (counter.route !== route || counter.outcome !== outcome) continue;
    if (isSamePlace(counter.address, address)) return counter;
  }
  return undefined;
}

function isSamePlace(a: Counter['address'], b: Counter['address']): boolean {
  if (a === b) return true;
  if (a === null || b === null || a === OTHER_ADDRESSES || b === OTHER_ADDRESSES) return false;
  return isSameAddress(a, b);
}

function markUse(traffic: KeyTraffic, secretNumber: number, atMs: number, address: IpAddress | null): void {
  const { keyId, uses } = traffic;
  for (const known of uses) {
    if (known.secretNumber !== secretNumber) continue;
    if (atMs < known.atMs) return;
    known.atMs = atMs;
    known.address = address;
    known.isTaken = false;
    return;
  }
  traffic.uses = withOneMore(uses, { keyId, secretNumber, atMs, address, isTaken: false });
  traffic.isNews = true;
}

/** The counters as they are stored. */
export function toCounts(counters: readonly Counter[]): TrafficCount[] {
  return counters.map(({ keyId, route, outcome, address, requests, firstAtMs, lastAtMs }) => ({
    keyId,
    hour: new Date(Math.floor(firstAtMs / HOUR_MS) * HOUR_MS),
    route,
    address: address === OTHER_ADDRESSES ? address : addressText(address),
    outcome,
    requests,
    firstAt: new Date(firstAtMs),
    lastAt: new Date(lastAtMs),
  }));
}

/** The uses as they are stored. */
export function toMarks(uses: readonly Use[]): KeyUseMark[] {
  return uses.map(({ keyId, secretNumber, atMs, address }) => ({
    keyId,
    secretNumber,
    at: new Date(atMs),
    address: address && formatIpAddress(address),
  }));
}

/** An address as it is recorded. */
export function addressText(address: IpAddress | null): string {
  return address === null ? UNKNOWN_ADDRESS : formatIpAddress(address);
}
