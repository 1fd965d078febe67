import { randomBytes } from 'node:crypto';
import { newPublicId } from '../../libs/domain/common/public-id';
import { REVIEW_VOICE } from '../../libs/domain/reviews/review-state';
import { jobRow } from '../../libs/queue/jobs';
import { freePort } from '../support/redis-server';
import { recording } from '../support/review-bench';
import { FAULT_OPTIONS } from './fault-options';
import { startGreenroom } from './greenroom';
import { inspect, type Inspection } from './inspection';
import { Machine } from './machine';
import {
  endOften,
  listCosts,
  listMeasurements,
  noteMeasurements,
  spoil,
  type Nodes,
  type ReviewCost,
} from './stops';
import { besiege, type StormReport } from './storm';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const { isLong } = FAULT_OPTIONS;
/** So often a worker is ended, and an api. */
const STOPS = isLong ? 20 : 3;
const WORKERS = 2;
const CUSTOMERS = 4;
const EVERY_MS = 500;
/** More than are requested. */
const VOICES = 100 * STOPS;
const RECORDING_SECS = 5;
/** The last one is poison. */
const RECORDINGS = 20;
const ATTEMPTS = jobRow(REVIEW_VOICE).options.attempts;
/** What a review may fail of that reads while the recordings are locked, in a worker that was not ended. */
const LOCKED = /timeout/i;
const LATE_START = /timeout expired|connection timeout/;

jest.setTimeout(300_000 + STOPS * 120_000);

interface Outcome extends StormReport, Inspection {
  nodes: Nodes;
  healthy: ReviewCost[];
  poisoned: ReviewCost[];
  measurements: number[];
}

describe(`ends of workers and api under load on ${__QUEUE_BACKEND__}`, () => {
  let machine: Machine;
  beforeEach(async () => {
    machine = await Machine.start();
  });
  afterEach(() => machine.stop());

  it.each([
    { signal: 'SIGTERM', end: 0, mostDied: 0 },
    // A death costs an attempt of each review that ran there.
    { signal: 'SIGKILL', end: 'SIGKILL', mostDied: STOPS },
  ] as const)(
    `${STOPS} times $signal: every voice reviewed once, attempts as counted, and nothing finished done again`,
    async ({ signal, end, mostDied }) => {
      const outcome = await endUnderLoad(machine, signal);
      process.stdout.write(describeOutcome(signal, outcome));
      const { sent, acknowledged, charged, breaches, chainIsWhole, healthy, poisoned } = outcome;
      const { missing, repeated, hung, unexpected, nodes, measurements } = outcome;
      const internalErrors = nodes.apis.flatMap((api) => api.internalErrors);
      const trouble = { missing, repeated, hung, unexpected, internalErrors, breaches };
      const none = { missing: [], repeated: [], hung: 0, unexpected: [], internalErrors: [], breaches: [] };
      expect({ ...trouble, chainIsWhole }).toEqual({ ...none, chainIsWhole: true });
      const voices = [...healthy, ...poisoned];
      expect([acknowledged, charged, voices.length]).toEqual([sent, sent, sent]);
      expect(healthy.filter(({ state }) => state !== 'completed')).toEqual([]);
      expect(poisoned.filter((each) => each.state !== 'stalled' || each.attempts !== ATTEMPTS)).toEqual([]);
      expect(voices.filter((each) => each.attempts !== each.begun - each.handedBack)).toEqual([]);
      expect(healthy.flatMap(({ failures }) => failures).filter((cause) => !LOCKED.test(cause))).toEqual([]);
      const died = voices.flatMap((each) => Array<string[]>(each.died).fill(each.history));
      expect(died.slice(mostDied * machine.config.workerConcurrency)).toEqual([]);
      expect(measurements.length).toBeGreaterThan(0);
      expect(measurements.filter((times) => times > 1)).toEqual([]);
      const ends = endsOf(nodes);
      // A start that found the database too busy is repeated, as by any orchestrator.
      expect(ends.filter(({ by, log }) => by !== end && !(by === 1 && LATE_START.test(log)))).toEqual([]);
      expect(ends.filter(({ by }) => by === end)).toHaveLength(2 * STOPS);
    },
  );
});

/** Half of the voices are made of previews, the others of several recordings each. */
async function endUnderLoad(machine: Machine, signal: NodeJS.Signals): Promise<Outcome> {
  const recordings = Array.from({ length: RECORDINGS }, () => recording(RECORDING_SECS));
  const greenroom = await startGreenroom(machine, {
    workers: WORKERS,
    previews: VOICES / 2,
    recordings,
    charges: true,
  });
  const port = await freePort();
  await spoil(machine, recordings.at(-1)!);
  await noteMeasurements(machine);
  const nodes = {
    ...greenroom,
    apis: [greenroom.api, await machine.startNode('api 2', 'api-node.cjs', { port })],
  };
  const isPoison = new Set(greenroom.previewIds.filter((_, index) => (index + 1) % RECORDINGS === 0));
  // Customers whose api is away turn to the other one.
  const at = turning([greenroom.url, `http://${machine.apiHost}:${port}`]);
  const uploads = new Set(greenroom.previewIds.map(() => newPublicId(randomBytes)));
  const report = await besiege(
    {
      ...greenroom,
      create: (id, timeoutMs) =>
        (uploads.has(id) ? greenroom.uploadAt(at()) : greenroom.createAt(at()))(id, timeoutMs),
    },
    {
      previewIds: [...uploads].flatMap((id, index) => [greenroom.previewIds[index]!, id]),
      everyMs: EVERY_MS,
      mostAtOnce: CUSTOMERS,
      endsWithFaults: true,
    },
    () => endOften(machine, nodes, signal, STOPS),
  );
  const costs = await listCosts(machine, greenroom);
  return {
    ...report,
    nodes,
    healthy: costs.filter(({ previewId }) => !isPoison.has(previewId!)),
    poisoned: costs.filter(({ previewId }) => isPoison.has(previewId!)),
    measurements: await listMeasurements(machine),
    ...(await inspect(machine, greenroom)),
  };
}

const endsOf = ({ apis, workers }: Nodes) => [...apis, ...workers].flatMap(({ ends }) => ends);

function turning(urls: string[]): () => string {
  let turn = 0;
  return () => urls[turn++ % urls.length]!;
}

function sumOf(costs: ReviewCost[], field: 'attempts' | 'begun' | 'handedBack' | 'died'): number {
  return costs.reduce((sum, cost) => sum + cost[field], 0);
}

function describeOutcome(signal: string, outcome: Outcome): string {
  const { nodes, sent, acknowledged, charged, answers, repeated, healthy, poisoned, measurements } = outcome;
  const failed = healthy.flatMap(({ failures }) => failures).length;
  return [
    `${__QUEUE_BACKEND__}: ${STOPS} times ${signal} to a worker and to an api; they ended by ${tally(endsOf(nodes).map(({ by }) => by))}`,
    `  voices requested ${sent}, acknowledged ${acknowledged}, charged ${charged}, reviewed more than once ${repeated.length}; responses ${JSON.stringify(answers)}`,
    `  healthy: ${tally(healthy.map(({ state }) => state))}; attempts begun ${sumOf(healthy, 'begun')}, handed back ${sumOf(healthy, 'handedBack')}, failed ${failed}, died ${sumOf(healthy, 'died')}`,
    `  poison: ${tally(poisoned.map(({ state }) => state))}; attempts counted ${sumOf(poisoned, 'attempts')}`,
    `  samples stored before their verdict ${measurements.length}, of them again ${measurements.filter((times) => times > 1).length}; nothing left ${(outcome.drainMs / 1_000).toFixed(1)} s after the last end`,
    '',
  ].join('\n');
}

function tally(values: unknown[]): string {
  const counts = new Map<string, number>();
  for (const value of values.map(String)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return JSON.stringify(Object.fromEntries(counts));
}
