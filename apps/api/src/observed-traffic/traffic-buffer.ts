import type { KeyUseMark } from '@app/database/keys/api-key.repository';
import type { LetInRequest, Refusal, TrafficCount } from '@app/database/traffic/observed-traffic.repository';
import { formatIpAddress, isSameAddress, type IpAddress } from '@app/domain/addresses/ip-address';
import { OTHER_ADDRESSES, UNKNOWN_ADDRESS, type TrafficOutcome } from '@app/domain/traffic/traffic';

/** Counts of one key that are kept apart between two flushes; more addresses than that are counted together. */
const MAX_COUNTS_PER_KEY = 200;
const MAX_COUNTS = 50_000;
const MAX_KEYS = 100_000;
const MAX_REFUSALS_PER_KEY = 50;
const MAX_REFUSALS = 5_000;
const MAX_REQUESTS_PER_KEY = 100;
const MAX_REQUESTS = 5_000;
const HOUR_MS = 3_600_000;

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
  requests: number;
  firstAtMs: number;
  lastAtMs: number;
}

interface Use {
  readonly keyId: string;
  readonly secretNumber: number;
  atMs: number;
  address: IpAddress | null;
}

interface KeyTraffic {
  /** Nearly always a few, so they are looked through. */
  readonly counters: Counter[];
  readonly refusals: Refusal[];
  readonly requests: LetInRequest[];
  /** One for each secret: nearly always one. */
  readonly uses: Use[];
}

/** What a buffer has gathered. */
interface Gathered {
  counters: Counter[];
  refusals: Refusal[];
  requests: LetInRequest[];
  uses: Use[];
}

/**
 * Gathers requests between two flushes, at a cost of well under a microsecond each. Bounded, whatever comes in: it loses
 * detail first, and requests last. What is gathered over the turn of an hour counts for the earlier one.
 */
export class TrafficBuffer {
  /** Requests that were not counted, since the process began. */
  dropped = 0;
  private keys = new Map<string, KeyTraffic>();
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
    if (secretNumber !== null) markUse(traffic, { keyId, secretNumber, atMs, address });
  }

  /** The newest of each key are kept. */
  refuse(refusal: Refusal): void {
    const refusals = this.of(refusal.keyId)?.refusals;
    if (!refusals) return;
    if (refusals.length >= MAX_REFUSALS_PER_KEY) refusals.shift();
    else if (this.refusals >= MAX_REFUSALS) return;
    else this.refusals += 1;
    refusals.push(refusal);
  }

  /** A request that was let in, to be found by its id. The newest of each key are kept. */
  keep(request: LetInRequest): void {
    const requests = this.of(request.keyId)?.requests;
    if (!requests) return;
    if (requests.length >= MAX_REQUESTS_PER_KEY) requests.shift();
    else if (this.requests >= MAX_REQUESTS) return;
    else this.requests += 1;
    requests.push(request);
  }

  /** Everything gathered so far; the buffer is empty afterwards. */
  take(): Gathered {
    const keys = [...this.keys.values()];
    this.keys = new Map();
    this.counts = 0;
    this.refusals = 0;
    this.requests = 0;
    return {
      counters: keys.flatMap(({ counters }) => counters),
      refusals: keys.flatMap(({ refusals }) => refusals),
      requests: keys.flatMap(({ requests }) => requests),
      uses: keys.flatMap(({ uses }) => uses),
    };
  }

  /** Puts back what could not be stored. */
  putBack({ counters, refusals, requests, uses }: Gathered): void {
    for (const counter of counters) {
      const { keyId, address, requests, firstAtMs, lastAtMs } = counter;
      const traffic = this.of(keyId);
      if (traffic) this.count(traffic, { ...counter, atMs: firstAtMs }, address, requests, lastAtMs);
      else this.dropped += requests;
    }
    for (const refusal of refusals) this.refuse(refusal);
    for (const request of requests) this.keep(request);
    for (const use of uses) {
      const traffic = this.of(use.keyId);
      if (traffic) markUse(traffic, use);
    }
  }

  /** Null without room for another key. */
  private of(keyId: string): KeyTraffic | null {
    const known = this.keys.get(keyId);
    if (known) return known;
    if (this.keys.size >= MAX_KEYS) return null;
    const traffic: KeyTraffic = { counters: [], refusals: [], requests: [], uses: [] };
    this.keys.set(keyId, traffic);
    return traffic;
  }

  private count(
    { counters }: KeyTraffic,
    sighting: Pick<Sighting, 'keyId' | 'route' | 'outcome' | 'atMs'>,
    address: Counter['address'],
    requests: number,
    lastAtMs: number,
  ): void {
    const counter = findCounter(counters, sighting, address) ?? this.addCounter(counters, sighting, address);
    if (counter === null) {
      this.dropped += requests;
      return;
    }
    counter.requests += requests;
    if (sighting.atMs < counter.firstAtMs) counter.firstAtMs = sighting.atMs;
    if (lastAtMs > counter.lastAtMs) counter.lastAtMs = lastAtMs;
  }

  /** Null without room even for the counts that are kept for all addresses together. */
  private addCounter(
    counters: KeyTraffic['counters'],
    sighting: Pick<Sighting, 'keyId' | 'route' | 'outcome' | 'atMs'>,
    wanted: Counter['address'],
  ): Counter | null {
    const full = counters.length >= MAX_COUNTS_PER_KEY || this.counts >= MAX_COUNTS;
    const address = full ? OTHER_ADDRESSES : wanted;
    const known = full && findCounter(counters, sighting, address);
    if (known) return known;
    // Operations and outcomes are few: this is reached only when nothing could be stored for long.
    if (this.counts >= 2 * MAX_COUNTS) return null;
    const { keyId, route, outcome, atMs } = sighting;
    const counter = { keyId, route, outcome, address, requests: 0, firstAtMs: atMs, lastAtMs: atMs };
    counters.push(counter);
    this.counts += 1;
    return counter;
  }
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

function markUse({ uses }: KeyTraffic, use: Use): void {
  for (const known of uses) {
    if (known.secretNumber !== use.secretNumber) continue;
    if (use.atMs >= known.atMs) {
      known.atMs = use.atMs;
      known.address = use.address;
    }
    return;
  }
  uses.push(use);
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
