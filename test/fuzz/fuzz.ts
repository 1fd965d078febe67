import fc from 'fast-check';
import { isJson, problemOf } from '../support/once/contract';
import type { Stack } from '../support/stack';
import type { DatabaseState } from './database-state';
import { FuzzWorld, keepSignedIn, letStaffIn, type People } from './fuzz-world';
import { OPERATIONS } from './operations';
import { requests, SPEAKS, type FuzzRequest } from './requests';
import { RawWire, Wire, type WireResponse } from './send';

/** Requests that share a world, and are found again by their seed. */
export const BATCH = 1_000;
/** Requests that only read are sent so many at once. */
/** What is held for a text while it is screened, and released when it is refused. */
const HELD = /^public\.(credit_balance|credit_hold|ledger_)/;
const READS_AT_ONCE = 5;
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const CHECK_WORLD_EVERY = 100;
const SLOW_MS = 2_000;
/** On a machine that is busy with other things, slower than this counts as no response. */
const TOO_SLOW_MS = 40_000;
const STORED_BODY = 1_500;

/** What is wrong with a response; found again by its seed and number. */
export interface Finding {
  operation: string;
  problem: string;
  seed: number;
  number: number;
  request: string;
}

export interface FuzzReport {
  sent: number;
  /** How often each status was returned. */
  statuses: Record<number, number>;
  /** Operations that have succeeded at least once. */
  succeeded: Set<string>;
  /** Requests that may write and were refused, each with a look at what was written. */
  watched: number;
  /** Requests on connections of their own, several at once or with a wrong length. */
  raw: number;
  slow: string[];
  findings: Finding[];
}

export const emptyReport = (): FuzzReport => ({
  sent: 0,
  statuses: {},
  succeeded: new Set(),
  watched: 0,
  raw: 0,
  slow: [],
  findings: [],
});

/** Sends a batch of random requests, and adds what came of it to the report. */
export async function fuzz(
  stack: Stack,
  people: People,
  database: DatabaseState,
  { seed, count }: { seed: number; count: number },
  report: FuzzReport,
): Promise<void> {
  const all = [...fc.sample(requests(), { seed, numRuns: count }).entries()];
  await letStaffIn(stack);
  // It signs out whenever a request says so, and signing in takes long.
  await keepSignedIn(stack, people, ['leaver']);
  const batch = new Batch(stack, people, database, seed, report);
  try {
    for (let from = 0; from < all.length; from += CHECK_WORLD_EVERY) {
      await batch.ensureWorld();
      await batch.sendAll(all.slice(from, from + CHECK_WORLD_EVERY));
    }
  } finally {
    batch.close();
  }
}

type Numbered = [number: number, request: FuzzRequest];

class Batch {
  private world: FuzzWorld | null = null;
  private readonly wire: Wire;
  private readonly rawWire: RawWire;

  constructor(
    private readonly stack: Stack,
    private readonly people: People,
    private readonly database: DatabaseState,
    private readonly seed: number,
    private readonly report: FuzzReport,
  ) {
    this.wire = new Wire(stack.baseUrl);
    this.rawWire = new RawWire(stack.baseUrl);
  }

  close(): void {
    this.wire.close();
    this.rawWire.close();
  }

  /** Signs staff in and creates the world again when requests have shut them out. */
  async ensureWorld(): Promise<void> {
    await letStaffIn(this.stack);
    await keepSignedIn(this.stack, this.people, ['admin', 'support']);
    if (await this.world?.isWhole()) return;
    this.world = await FuzzWorld.create(this.stack, this.people);
    for (const operation of OPERATIONS) await this.world.readFirstPage(operation);
  }

  /** First what only reads, which may be written to the audit log; then one after the other what may write, so that it is known which did. */
  async sendAll(numbered: Numbered[]): Promise<void> {
    const reads = numbered.filter(([, { method }]) => READS.has(method));
    const readNext = async () => {
      for (let next = reads.pop(); next; next = reads.pop()) await this.send(next[1], next[0]);
    };
    await Promise.all(Array.from({ length: READS_AT_ONCE }, readNext));
    this.rawWire.close();
    for (const [number, request] of numbered)
      if (!READS.has(request.method)) await this.sendWatched(request, number);
  }

  private async sendWatched(request: FuzzRequest, number: number): Promise<void> {
    await this.database.writtenSince();
    const statuses = await this.send(request, number);
    // Streamed previews are stored after their response.
    if (SPEAKS.test(request.operation)) await this.database.speechEnds();
    // What it still writes is not the next request's.
    if (statuses.length === 0) await this.database.settles();
    if (statuses.length === 0 || !statuses.every((status) => status >= 400 && status < 500)) return;
    this.report.watched += 1;
    const isScreened = statuses.every((status) => status === 403) && SPEAKS.test(request.operation);
    const written = (await this.database.writtenSince()).filter((table) => !isScreened || !HELD.test(table));
    if (written.length > 0) this.note(request, number, `${statuses[0]}, and wrote to ${written.join(', ')}`);
  }

  /** The statuses of the responses; none if there were none, or they stay unread. */
  private async send(request: FuzzRequest, number: number): Promise<number[]> {
    const operation = OPERATIONS.find(({ name }) => name === request.operation)!;
    const real = this.world!.realize(request, operation);
    this.report.sent += 1;
    try {
      if (request.way !== 'alone')
        return this.evaluateRaw(request, number, await this.rawWire.send(real, request.way));
      const response = await this.wire.send(real);
      this.evaluate(request, number, response, real.path);
      return [response.status];
    } catch (error) {
      this.note(request, number, `no response: ${(error as Error).message}`);
      return [];
    }
  }

  private evaluateRaw(request: FuzzRequest, number: number, answered: number[]): number[] {
    const { report } = this;
    report.raw += 1;
    for (const status of answered) report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    const failed = answered.find((status) => status >= 500 && status !== 503);
    if (failed) this.note(request, number, `${failed} to one of several requests on a connection`);
    return answered;
  }

  private evaluate(request: FuzzRequest, number: number, response: WireResponse, path: string): void {
    const { statuses, succeeded, slow } = this.report;
    const { status, tookMs } = response;
    statuses[status] = (statuses[status] ?? 0) + 1;
    const [method] = request.operation.split(' ');
    if (status < 400 && request.method === method) succeeded.add(request.operation);
    if (tookMs > SLOW_MS)
      slow.push(
        `${request.operation}: ${status} after ${Math.round(tookMs)} ms (seed ${this.seed}, number ${number})`,
      );
    if (tookMs > TOO_SLOW_MS) this.note(request, number, `${status} after more than ${TOO_SLOW_MS} ms`);
    const text = response.bytes.toString();
    const isBusy = status === 503 && response.headers['retry-after'] !== undefined;
    if (status >= 500 && !isBusy) return this.note(request, number, `${status} ${text.slice(0, 300)}`);
    const problem = problemOf(
      request.method,
      path.split('?')[0]!,
      toResponse(response),
      jsonOf(response, text),
    );
    if (problem) this.note(request, number, `${status}: ${problem}`);
    if (!response.headers['x-request-id']) this.note(request, number, `${status} without a request id`);
  }

  private note(request: FuzzRequest, number: number, problem: string): void {
    const { body, ...rest } = request;
    const text = body instanceof Uint8Array ? Buffer.from(body).toString() : body;
    // At once: a long run may be stopped before its report.
    process.stdout.write(`found: ${request.operation}: ${problem} (seed ${this.seed}, number ${number})\n`);
    this.report.findings.push({
      operation: request.operation,
      problem,
      seed: this.seed,
      number,
      request: JSON.stringify({ ...rest, body: text?.slice(0, STORED_BODY) }),
    });
  }
}

function toResponse({ status, headers }: WireResponse): Response {
  const type = headers['content-type'];
  return new Response(null, { status, headers: type === undefined ? {} : { 'content-type': type } });
}

function jsonOf({ headers }: WireResponse, text: string): unknown {
  if (!isJson(headers['content-type']) || text === '') return undefined;
  return JSON.parse(text) as unknown;
}

/** The report in words: what was sent and returned, which operations never succeeded, and each kind of finding once. */
export function describeReport(title: string, report: FuzzReport): string {
  const never = OPERATIONS.map(({ name }) => name).filter((name) => !report.succeeded.has(name));
  const kinds = kindsOf(report.findings);
  return [
    `${title}: ${report.sent} requests, responses ${JSON.stringify(report.statuses)}`,
    `  ${OPERATIONS.length - never.length} of ${OPERATIONS.length} operations have succeeded${never.length > 0 ? `, not ${never.join(', ')}` : ''}`,
    `  ${report.watched} refused requests that may write, each compared; ${report.raw} pipelined, unread or of a wrong length; ${report.slow.length} responses took longer than ${SLOW_MS} ms`,
    ...report.slow.slice(0, 10).map((line) => `    ${line}`),
    `  ${report.findings.length} findings of ${kinds.size} kinds`,
    ...[...kinds.values()]
      .slice(0, 40)
      .map(
        ([first, ...others]) =>
          `    ${first!.operation}: ${first!.problem.slice(0, 600)}\n      ${others.length} more like it; first: seed ${first!.seed}, number ${first!.number}, ${first!.request}`,
      ),
    '',
  ].join('\n');
}

/** The same thing found in one operation again and again is one kind. */
function kindsOf(findings: Finding[]): Map<string, Finding[]> {
  const kinds = new Map<string, Finding[]>();
  for (const finding of findings) {
    const words = finding.problem.slice(0, 60).replaceAll(/\d{4,}|[0-9a-f]{8,}/g, '…');
    const kind = `${finding.operation} ${words}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), finding]);
  }
  return kinds;
}
