import { isForKeys } from '@app/auth/route-hooks';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import {
  ObservedTrafficRepository,
  type TrafficCount,
} from '@app/database/traffic/observed-traffic.repository';
import type { Decision } from '@app/auth/key-verifier';
import type { IpAddress } from '@app/domain/addresses/ip-address';
import type { Permission } from '@app/domain/keys/permissions';
import { DomainError, ERRORS } from '@app/domain/errors';
import { outcomeOf, refusingGate, type RefusingGate } from '@app/domain/traffic/traffic';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { RouteTable } from '../http/route-table';
import { PageUses } from './page-uses';
import { addressText, toCounts, toMarks, TrafficBuffer } from './traffic-buffer';

const FLUSH_EVERY_MS = 1_000;
const REFUSALS_STORED = 50;
/** Requests of a key that were let in, and that are found by their id. */
const REQUESTS_STORED = 1_000;
/** What only reads is too much, and there is little to say of it. */
const READING = new Set(['GET', 'HEAD']);
/** Addresses of a key that are stored one by one for each hour. */
const ADDRESSES_STORED = 100;
/** Rows that this process writes for one key and hour before it folds the rare addresses again. */
const ROWS_BEFORE_FOLDING = 1_000;

const NO_REFUSAL = { code: undefined, cost: null };

/** What became of a request; of an introspected one, what should. */
interface Outcome {
  decision: Decision;
  /** Null when it is not known. */
  address: IpAddress | null;
  /** Of its response. */
  status: number;
  requestId: string;
  /** What its response says, when it is an error. */
  code: string | undefined;
  /** Credits; null when it costs nothing, or its cost is not known. */
  cost: number | null;
}

/**
 * Remembers how keys are used: every request to a route with a scope, counted in this process and stored within a second
 * when it is the first of its kind, and within eight when the key was stored before. A process that is killed loses as much.
 * Nothing here is exact to the last request: credits are not counted here.
 */
@Injectable()
export class TrafficRecorder {
  private readonly logger = new Logger(TrafficRecorder.name);
  private readonly buffer = new TrafficBuffer();
  private readonly pages = new PageUses();
  private readonly routes = new Map<object, string>();
  private readonly rowsWritten = new LRUCache<string, number>({ max: 100_000 });
  private flushing: Promise<void> | null = null;
  private failing = false;
  /** The permissions of routes that are not stored yet. */
  private readonly newRoutes = new Map<string, Permission | null>();
  private readonly requestedRoutes = new Set<string>();
  private servedRoutesListed = false;

  constructor(
    private readonly traffic: ObservedTrafficRepository,
    private readonly keys: ApiKeyRepository,
    private readonly table: RouteTable,
  ) {}

  /** Requests that were never counted because too many waited to be stored. */
  get dropped(): number {
    return this.buffer.dropped;
  }

  /** Begins to store what is recorded, until the server is closed. */
  storeUntilClosed(fastify: FastifyInstance): void {
    const timer = setInterval(() => void this.flush(performance.now()), FLUSH_EVERY_MS).unref();
    // After the last request and before the connections to the database are closed.
    fastify.addHook('onClose', async () => {
      clearInterval(timer);
      await this.flush();
    });
  }

  /** Counts a request that has its response, if it came with a credential. */
  readonly record = (request: FastifyRequest, reply: FastifyReply): void => {
    const { decision, clientAddress: address = null, id: requestId } = request;
    if (!decision) return;
    const { statusCode: status } = reply;
    const route = this.routeOf(request);
    const gate = this.count(route, { decision, address, status, requestId, ...refusalOf(request.refusal) });
    if (decision.allowed && !request.singleUseToken)
      this.pages.note(decision.key.keyId, request.headers.origin);
    if (gate !== null || !decision.allowed || READING.has(request.method)) return;
    this.buffer.keep({
      keyId: decision.key.keyId,
      at: new Date(),
      route,
      address: addressText(address),
      status,
      durationMs: Math.round(reply.elapsedTime),
      requestId,
    });
  };

  /**
   * Stores what is due, see `TrafficBuffer.take`: without a time, all that was gathered until now. One flush at a time; what
   * cannot be stored waits for the next one.
   *
   * @param nowMs on a monotonic clock
   */
  async flush(nowMs?: number): Promise<void> {
    // It may have begun before the last of it was gathered.
    await this.flushing;
    this.flushing ??= this.store(nowMs).finally(() => {
      this.flushing = null;
    });
    await this.flushing;
  }

  /** Counts a request that another service of the platform has introspected, under a route and the permission it needs. */
  recordIntrospected(
    { route, permission }: { route: string; permission: Permission | null },
    outcome: Outcome,
  ): void {
    if (!this.requestedRoutes.has(route)) this.newRoutes.set(route, permission);
    this.requestedRoutes.add(route);
    this.count(route, outcome);
  }

  /** Counts a text of a socket, which is a separate request, if a gate has refused it. */
  recordText(request: FastifyRequest, refusal: DomainError, requestId: string): void {
    const { decision, clientAddress: address = null } = request;
    const status = ERRORS[refusal.code].httpStatus;
    if (!decision?.allowed || refusingGate(null, status) === null) return;
    this.count(this.routeOf(request), { decision, address, status, requestId, ...refusalOf(refusal) });
  }

  /** The gate that refused it, if one did. */
  private count(
    route: string,
    { decision, address, status, requestId, code, cost }: Outcome,
  ): RefusingGate | null {
    const { key } = decision;
    if (!key) return null;
    const { keyId } = key;
    const atMs = Date.now();
    const gate = refusingGate(decision.allowed ? null : decision.gate, status);
    const secretNumber = decision.allowed ? key.secretNumber : null;
    const outcome = outcomeOf(gate, status);
    this.buffer.add({ keyId, secretNumber, atMs, route, address, outcome });
    if (gate === null) return null;
    this.buffer.refuse({
      keyId,
      at: new Date(atMs),
      route,
      address: addressText(address),
      gate,
      reason: reasonOf(decision, gate, code),
      status,
      requestId,
      cost,
    });
    return gate;
  }

  /** The router gives every request of an operation the same configuration object. */
  private routeOf({ route: config }: FastifyRequest): string {
    const known = this.routes.get(config);
    if (known !== undefined) return known;
    const route = `${String(config.method)} ${config.url}`;
    this.routes.set(config, route);
    return route;
  }

  private async store(nowMs?: number): Promise<void> {
    const gathered = this.buffer.take(nowMs);
    const ofNew = toCounts(gathered.counters.filter(({ isNew }) => isNew));
    try {
      await this.storeRoutes();
      await this.traffic.addCounts(toCounts(gathered.counters));
      gathered.counters = [];
      await this.traffic.addRefusals(gathered.refusals, REFUSALS_STORED);
      gathered.refusals = [];
      await this.traffic.addRequests(gathered.requests, REQUESTS_STORED);
      gathered.requests = [];
      await this.keys.markUsed(toMarks(gathered.uses));
      gathered.uses = [];
      await this.pages.store((uses) => this.keys.markUsedInBrowser(uses));
      await this.foldRareAddresses(ofNew);
      this.report(null);
    } catch (error) {
      this.buffer.putBack(gathered);
      this.report(error as Error);
    }
  }

  /** Says once which permission each route requires, so that permissions can be suggested from what was used. */
  private async storeRoutes(): Promise<void> {
    if (!this.servedRoutesListed) this.listServedRoutes();
    if (this.newRoutes.size === 0) return;
    const routes = [...this.newRoutes].map(([route, permission]) => ({ route, permission }));
    await this.traffic.saveRoutes(routes);
    for (const { route } of routes) this.newRoutes.delete(route);
  }

  private listServedRoutes(): void {
    for (const { method, path, access } of this.table.list()) {
      if (!isForKeys(access)) continue;
      this.newRoutes.set(`${method} ${path}`, access === 'any_key' ? null : access);
    }
    this.servedRoutesListed = true;
  }

  /** Keeps the rows of each key and hour within bounds, however many addresses a key is used from. */
  private async foldRareAddresses(written: TrafficCount[]): Promise<void> {
    for (const { keyId, hour } of written) {
      const name = `${keyId} ${hour.getTime()}`;
      const rows = (this.rowsWritten.get(name) ?? 0) + 1;
      this.rowsWritten.set(name, rows % ROWS_BEFORE_FOLDING);
      if (rows === ROWS_BEFORE_FOLDING) await this.traffic.foldRareAddresses(keyId, hour, ADDRESSES_STORED);
    }
  }

  private report(error: Error | null): void {
    if (error && !this.failing) this.logger.error(`Observed traffic cannot be stored: ${error.message}`);
    if (!error && this.failing) {
      this.logger.log('Observed traffic is stored again', { requestsNotCounted: this.dropped });
    }
    this.failing = error !== null;
  }
}

/** Only a refusal for credits knows a cost. */
function refusalOf(refusal: FastifyRequest['refusal']): Pick<Outcome, 'code' | 'cost'> {
  if (!(refusal instanceof DomainError)) return NO_REFUSAL;
  const { cost } = refusal.params;
  return { code: refusal.code, cost: cost === undefined ? null : Number(cost) };
}

function reasonOf(decision: Decision, gate: RefusingGate, code = 'insufficient_credits'): string {
  if (!decision.allowed) return decision.reason;
  return gate === 'credits' ? code : 'too_many_requests';
}
