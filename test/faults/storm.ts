import type { Job } from 'bullmq';
import { eventually } from '../support/eventually';
import { pause, seededRandom } from './fault-options';
import { faultsOf, type Fault, type Scene } from './faults';
import type { Machine } from './machine';
import type { Subject, VoiceOutcome } from './subject';
import { VoiceLoad } from './voice-load';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const DRAIN_MS = 180_000;
/** Of those that are left when it does not end. */
const SHOWN_JOBS = 5;

export interface StormPlan {
  seed: number;
  stormMs: number;
  /** The interval between requests for a voice. */
  everyMs: number;
  /** Pause between two faults: from the first to the second. */
  gapMs: [number, number];
}

export interface Struck {
  name: string;
  /** When it was over. */
  atMs: number;
}

export interface StormReport {
  faults: Struck[];
  /** Voices that customers wanted, each until it was acknowledged. */
  sent: number;
  acknowledged: number;
  acknowledgedAtMs: number[];
  /** How often each status was returned; 0 stands for no response. */
  answers: Record<number, number>;
  /** Requests without a response in time. */
  hung: number;
  unexpected: number[];
  /** Acknowledged, and not there. */
  missing: string[];
  /** There, and never reviewed. */
  unreviewed: string[];
  /** Reviewed more than once in effect. */
  repeated: string[];
  /** From the end of the storm until nothing was left to do. */
  drainMs: number;
  outcomes: VoiceOutcome[];
}

/** Lets faults rain on a subject under load, waits until it has nothing left to do, and says what became of every voice. */
export async function storm(
  machine: Machine,
  subject: Subject,
  previewIds: string[],
  plan: StormPlan,
): Promise<StormReport> {
  const scene = { machine, subject, random: seededRandom(plan.seed) };
  return besiege(subject, { previewIds, everyMs: plan.everyMs, endsWithFaults: true }, () =>
    faultsUntil(scene, plan),
  );
}

export interface LoadPlan {
  previewIds: string[];
  /** The interval between requests for a voice. */
  everyMs: number;
  /** Customers who wait for their voice; otherwise as many as come. */
  mostAtOnce?: number;
  /** Otherwise it continues until every preview has been requested. */
  endsWithFaults?: boolean;
  /** How long nothing may be done of what is left after the faults. */
  drainMs?: number;
}

/** Strikes while customers request voices, waits until nothing is left to do, and reports the outcome of every voice. */
export async function besiege(
  subject: Subject,
  { previewIds, everyMs, mostAtOnce, endsWithFaults, drainMs = DRAIN_MS }: LoadPlan,
  strike: () => Promise<Struck[]>,
): Promise<StormReport> {
  const over = new AbortController();
  const load = new VoiceLoad(subject.create);
  const loaded = load.run(previewIds, { everyMs, mostAtOnce }, over.signal);
  const faults = await strike();
  if (endsWithFaults) over.abort();
  const endedAt = Date.now();
  await loaded;
  await untilDrained(subject, drainMs);
  const drainedMs = Date.now() - endedAt;
  return { faults, drainMs: drainedMs, ...evaluate(load, await subject.outcomes()) };
}

/** Strikes with every fault once, in a seeded order, and again until the time is over. */
export async function faultsUntil(
  scene: Scene,
  { stormMs, gapMs: [shortest, longest] }: Pick<StormPlan, 'stormMs' | 'gapMs'>,
): Promise<Struck[]> {
  const { random } = scene;
  const endsAt = Date.now() + stormMs;
  const struck: Struck[] = [];
  const underWay: Promise<void>[] = [];
  const strike = async (fault: Fault) => {
    await fault.strike(scene).catch(() => undefined);
    struck.push({ name: fault.name, atMs: Date.now() });
  };
  for (let bag: Fault[] = []; Date.now() < endsAt;) {
    if (bag.length === 0) bag = shuffled(faultsOf(__QUEUE_BACKEND__), random);
    await pause(shortest + (longest - shortest) * random());
    const fault = bag.pop()!;
    if (!fault.takesMs) await strike(fault);
    else if (Date.now() + fault.takesMs < endsAt) underWay.push(strike(fault));
  }
  await Promise.all(underWay);
  return struck;
}

/** The long ones first, so that they do not prolong a short storm. */
function shuffled(faults: Fault[], random: () => number): Fault[] {
  return faults
    .map((fault) => ({ fault, place: random() + (fault.takesMs ? 1 : 0) }))
    .sort((a, b) => a.place - b.place)
    .map(({ fault }) => fault);
}

/** @param withinMs how long nothing may be done of what is left; a busy machine takes longer for all of it */
async function untilDrained(subject: Subject, withinMs: number): Promise<void> {
  let least = Infinity;
  for (let endsAt = Date.now() + withinMs; ; await pause(250)) {
    const left = await eventually(() => countLeft(subject), { withinMs, everyMs: 250 });
    const count = Object.values(left).reduce((sum, each) => sum + each, 0);
    if (count === 0) return;
    if (count < least) endsAt = Date.now() + withinMs;
    least = Math.min(least, count);
    if (Date.now() < endsAt) continue;
    const jobs = await subject.queue.getJobs(['active', 'waiting', 'delayed'], 0, SHOWN_JOBS - 1);
    throw new Error(`left: ${JSON.stringify(left)}, jobs: ${JSON.stringify(jobs.map(toLine))}`);
  }
}

async function countLeft(subject: Subject) {
  const {
    waiting = 0,
    active = 0,
    delayed = 0,
  } = await subject.queue.getJobCounts('waiting', 'active', 'delayed');
  return { backlog: await subject.backlog(), waiting, active, delayed };
}

/** Tells a job that is never taken back from one that fails again and again; it may be gone by now. */
function toLine(job: Job | undefined): object | null {
  if (!job) return null;
  const { id, attemptsMade, attemptsStarted, stalledCounter, failedReason, processedOn } = job;
  const activeMs = processedOn === undefined ? null : Date.now() - processedOn;
  return { id, attemptsMade, attemptsStarted, stalledCounter, failedReason, activeMs };
}

function evaluate(
  { sent, acknowledged, answers, hung, unexpected }: VoiceLoad,
  outcomes: VoiceOutcome[],
): Omit<StormReport, 'faults' | 'drainMs'> {
  const known = new Set(outcomes.map(({ voiceId }) => voiceId));
  const ids = (matching: VoiceOutcome[]) => matching.map(({ voiceId }) => voiceId);
  return {
    sent,
    acknowledged: acknowledged.length,
    answers,
    acknowledgedAtMs: acknowledged.map(({ atMs }) => atMs),
    hung,
    unexpected,
    missing: acknowledged.map(({ voiceId }) => voiceId).filter((id) => !known.has(id)),
    unreviewed: ids(outcomes.filter(({ effects }) => effects === 0)),
    repeated: ids(outcomes.filter(({ effects }) => effects > 1)),
    outcomes,
  };
}
