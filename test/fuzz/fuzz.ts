import fc from 'fast-check';
import { problemOf } from '../support/contract';
import type { Stack } from '../support/stack';
import { changedTables, DatabaseState } from './database-state';
import { FuzzWorld, type People } from './fuzz-world';
import { OPERATIONS } from './operations';
import { requests, type FuzzRequest } from './requests';
import { Wire, type WireAnswer } from './send';

/** Requests that share a world, and are found again by their seed. */
export const BATCH = 1_000;
/** So many of a batch are sent one by one, and the database is looked at before and after. */
const WATCHED = 40;
const AT_ONCE = 6;
const CHECK_WORLD_EVERY = 100;
const SLOW_MS = 2_000;
/** On a machine that is busy with other things, slower than this is no longer an answer. */
const TOO_SLOW_MS = 20_000;
const KEPT_BODY = 1_500;

/** What is wrong with an answer; found again by its seed and number. */
export interface Finding {
  operation: string;
  problem: string;
  seed: number;
  number: number;
  request: string;
}

export interface FuzzReport {
  sent: number;
  /** How often each status was answered. */
  statuses: Record<number, number>;
  /** Operations that have succeeded at least once. */
  succeeded: Set<string>;
  /** Refusals with a look at the database before and after. */
  watched: number;
  slow: string[];
  findings: Finding[];
}

export const emptyReport = (): FuzzReport => ({
  sent: 0,
  statuses: {},
  succeeded: new Set(),
  watched: 0,
  slow: [],
  findings: [],
});

/** Sends a batch of random requests, and adds what came of it to the report. */
export async function fuzz(
  stack: Stack,
  people: People,
  { seed, count }: { seed: number; count: number },
  report: FuzzReport,
): Promise<void> {
  const all = fc.sample(requests(), { seed, numRuns: count });
  const wire = new Wire(stack.baseUrl);
  const batch = new Batch(stack, people, await DatabaseState.of(stack.dataSource), wire, seed, report);
  try {
    const watchedFrom = all.length - Math.min(WATCHED, Math.ceil(all.length / 10));
    for (let from = 0; from < watchedFrom; from += CHECK_WORLD_EVERY) {
      await batch.ensureWorld();
      const next = [...all.entries()].slice(from, Math.min(from + CHECK_WORLD_EVERY, watchedFrom));
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let entry = next.pop(); entry; entry = next.pop()) await batch.send(entry[1], entry[0]);
        }),
      );
    }
    await batch.ensureWorld();
    for (const [number, request] of [...all.entries()].slice(watchedFrom))
      await batch.sendWatched(request, number);
  } finally {
    wire.close();
  }
}

class Batch {
  private world: FuzzWorld | null = null;

  constructor(
    private readonly stack: Stack,
    private readonly people: People,
    private readonly database: DatabaseState,
    private readonly wire: Wire,
    private readonly seed: number,
    private readonly report: FuzzReport,
  ) {}

  /** Makes the world anew when requests have shut its people out. */
  async ensureWorld(): Promise<void> {
    if (await this.world?.isWhole()) return;
    this.world = await FuzzWorld.create(this.stack, this.people);
    for (const operation of OPERATIONS) await this.world.readFirstPage(operation);
  }

  async sendWatched(request: FuzzRequest, number: number): Promise<void> {
    const before = await this.database.read();
    const status = await this.send(request, number);
    if (status === null || status < 400 || status >= 500) return;
    this.report.watched += 1;
    const changed = changedTables(before, await this.database.read());
    if (changed.length > 0) this.note(request, number, `${status}, and wrote to ${changed.join(', ')}`);
  }

  /** The status of the answer; null if there was none. */
  async send(request: FuzzRequest, number: number): Promise<number | null> {
    const operation = OPERATIONS.find(({ name }) => name === request.operation)!;
    const real = this.world!.realize(request, operation);
    this.report.sent += 1;
    try {
      const answer = await this.wire.send(real);
      this.judge(request, number, answer, real.path);
      return answer.status;
    } catch (error) {
      this.note(request, number, `no answer: ${(error as Error).message}`);
      return null;
    }
  }

  private judge(request: FuzzRequest, number: number, answer: WireAnswer, path: string): void {
    const { statuses, succeeded, slow } = this.report;
    const { status, tookMs } = answer;
    statuses[status] = (statuses[status] ?? 0) + 1;
    const [method] = request.operation.split(' ');
    if (status < 400 && request.method === method) succeeded.add(request.operation);
    if (tookMs > SLOW_MS)
      slow.push(
        `${request.operation}: ${status} after ${Math.round(tookMs)} ms (seed ${this.seed}, number ${number})`,
      );
    if (tookMs > TOO_SLOW_MS) this.note(request, number, `${status} after more than ${TOO_SLOW_MS} ms`);
    const text = answer.bytes.toString();
    const isBusy = status === 503 && answer.headers['retry-after'] !== undefined;
    if (status >= 500 && !isBusy) return this.note(request, number, `${status} ${text.slice(0, 300)}`);
    const problem = problemOf(request.method, path.split('?')[0]!, toResponse(answer), jsonOf(answer, text));
    if (problem) this.note(request, number, `${status}: ${problem}`);
    if (!answer.headers['x-request-id']) this.note(request, number, `${status} without a request id`);
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
      request: JSON.stringify({ ...rest, body: text?.slice(0, KEPT_BODY) }),
    });
  }
}

function toResponse({ status, headers }: WireAnswer): Response {
  const type = headers['content-type'];
  return new Response(null, { status, headers: type === undefined ? {} : { 'content-type': type } });
}

function jsonOf({ headers }: WireAnswer, text: string): unknown {
  if (!headers['content-type']?.split(';')[0]!.endsWith('json') || text === '') return undefined;
  return JSON.parse(text) as unknown;
}

/** The report in words: what was sent and answered, which operations never succeeded, and each kind of finding once. */
export function describeReport(title: string, report: FuzzReport): string {
  const never = OPERATIONS.map(({ name }) => name).filter((name) => !report.succeeded.has(name));
  const kinds = kindsOf(report.findings);
  return [
    `${title}: ${report.sent} requests, answers ${JSON.stringify(report.statuses)}`,
    `  ${OPERATIONS.length - never.length} of ${OPERATIONS.length} operations have succeeded${never.length > 0 ? `, not ${never.join(', ')}` : ''}`,
    `  ${report.watched} refusals with a look at the database before and after; ${report.slow.length} answers took longer than ${SLOW_MS} ms`,
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
