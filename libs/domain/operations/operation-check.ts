import { DAY_MS } from '../common/utc-days';
import type { Finding } from '../common/backend-check';
import { durationText } from '../common/duration-text';
import { plural } from '../common/sentences';
import { minuteText } from '../common/times';

const CONNECTIONS_WARNING_SHARE = 0.8;

/** Connections that a process opens at the most: docs/operations.md, "Connections to PostgreSQL". */
export interface ConnectionNeeds {
  api: number;
  worker: number;
}

/** What the processes of an installation open at the most, each: with queues in Redis, or without. */
export function connectionNeeds(hasRedis: boolean): ConnectionNeeds {
  return hasRedis ? { api: 12, worker: 11 } : { api: 26, worker: 39 };
}

/** Connections of a server, and the processes that share them. */
export interface ConnectionState {
  used: number;
  /** What applications may open. */
  allowed: number;
  apis: number;
  workers: number;
}

/** How much of what the server lets applications open is in use, and whether the processes that run may open all that they need. */
export function evaluateConnections(state: ConnectionState, needs: ConnectionNeeds): Finding {
  const { used, allowed, apis, workers } = state;
  const needed = apis * needs.api + workers * needs.worker;
  const processes = `${plural(apis, 'api')} and ${plural(workers, 'worker')} open up to ${needed}`;
  const detail = `${used} of ${allowed} connections of the database are in use; ${processes}.`;
  if (needed > allowed)
    return {
      status: 'warning',
      detail: `${detail} Under load some would be refused: set max_connections to ${roomFor(needed)} or more, or run fewer.`,
    };
  if (used < CONNECTIONS_WARNING_SHARE * allowed) return { status: 'ok', detail };
  return {
    status: 'warning',
    detail: `${detail} Another api or worker may not start: raise max_connections, or run fewer.`,
  };
}

/** The `max_connections` that is enough for so many: others connect too, and some are kept for superusers. */
const roomFor = (connections: number) => Math.ceil((connections * 1.1 + 5) / 10) * 10;

/**
 * What an api or a worker says when it starts and its connections may not suffice; null when they do.
 *
 * @param process what starts
 * @param state without the process itself
 */
export function connectionShortage(
  process: keyof ConnectionNeeds,
  state: ConnectionState,
  needs: ConnectionNeeds,
): string | null {
  const { apis, workers, allowed } = state;
  const needed = apis * needs.api + workers * needs.worker + needs[process];
  if (needed <= allowed) return null;
  return `This ${process} opens up to ${needs[process]} connections to the database, with ${plural(apis, 'other api')} and ${plural(workers, 'other worker')} ${needed} in all, and the server allows ${allowed}: set max_connections to ${roomFor(needed)} or more, or run fewer.`;
}

/** Free space of the file system of a folder. */
export interface FreeSpace {
  folder: string;
  freeBytes: number;
  totalBytes: number;
  /** At the pace of the last days; null when it does not fill, or is not known. */
  fullInDays: number | null;
}

const MIB = 1024 * 1024;
const SPACE_WARNING_SHARE = 0.1;
const SPACE_FAILURE_BYTES = 100 * MIB;
const SPACE_WARNING_DAYS = 14;

/**
 * Whether folders that are written to have room: each is ok from a tenth of its file system on, unless it is full in two weeks at
 * its pace, and failed below 100 MiB.
 */
export function evaluateSpace(folders: readonly FreeSpace[]): Finding {
  const describe = ({ folder, freeBytes, totalBytes, fullInDays }: FreeSpace) => {
    const days = Math.floor(fullInDays ?? 0);
    const end = days === 0 ? 'within a day' : `in ${plural(days, 'day')}`;
    const pace = fullInDays === null ? '' : `, full ${end} at this pace`;
    return `${folder} has ${Math.floor(freeBytes / MIB)} MiB of ${Math.floor(totalBytes / MIB)} free${pace}`;
  };
  const short = folders.filter(
    ({ freeBytes, totalBytes, fullInDays }) =>
      freeBytes < SPACE_WARNING_SHARE * totalBytes || (fullInDays ?? Infinity) < SPACE_WARNING_DAYS,
  );
  if (short.length === 0) return { status: 'ok', detail: `${folders.map(describe).join('; ')}.` };
  return {
    status: short.some(({ freeBytes }) => freeBytes < SPACE_FAILURE_BYTES) ? 'failed' : 'warning',
    detail: `${short.map(describe).join('; ')}. Free some, or enlarge it: "What fills the disk" in docs/operations.md.`,
  };
}

/** Free space as it was measured. */
export interface SpaceSample {
  at: Date;
  freeBytes: number;
}

/** A pace that was measured for less than this says nothing about days. */
const PACE_MS = 3_600_000;

/**
 * In how many days a disk is full, by the line that fits its samples best; null when they span less than an hour, or it does not fill.
 *
 * @param samples oldest first
 */
export function daysUntilFull(samples: readonly SpaceSample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at.getTime() - first.at.getTime() < PACE_MS) return null;
  const days = samples.map(({ at }) => (at.getTime() - first.at.getTime()) / DAY_MS);
  const meanDay = days.reduce((sum, day) => sum + day, 0) / days.length;
  const meanFree = samples.reduce((sum, { freeBytes }) => sum + freeBytes, 0) / samples.length;
  let [product, square] = [0, 0];
  for (const [index, { freeBytes }] of samples.entries()) {
    product += (days[index]! - meanDay) * (freeBytes - meanFree);
    square += (days[index]! - meanDay) ** 2;
  }
  const bytesPerDay = product / square;
  return bytesPerDay < 0 ? last.freeBytes / -bytesPerDay : null;
}

const UPSTREAM_WARNING_SHARE = 0.9;
/** Too many requests: it serves others meanwhile, and us soon. */
const BUSY = 429;

/** What a service with the published API, which speaks for this installation, says of our account there. */
export type UpstreamState =
  | { used: number; limit: number }
  /** The status of a refusal, or null when it did not respond. */
  | { status: number | null; reason: string };

const REFUSALS: Record<number, string> = {
  401: 'The upstream does not accept VOICE_ENGINE_API_KEY (401)',
  402: 'The upstream wants to be paid (402)',
  403: 'The upstream refuses VOICE_ENGINE_API_KEY, its permissions or our address (403)',
  429: 'The upstream refuses more requests (429)',
};

/** Whether the upstream serves, and whether it has credits left. */
export function evaluateUpstream(state: UpstreamState): Finding {
  if ('reason' in state) {
    const { status, reason } = state;
    const what = (status !== null && REFUSALS[status]) || 'The upstream does not serve';
    return { status: status === BUSY ? 'warning' : 'failed', detail: `${what}: ${reason}.` };
  }
  const { used, limit } = state;
  const detail = `The upstream has ${Math.max(0, limit - used)} of ${plural(limit, 'credit')} left in its billing period`;
  if (used >= limit)
    return {
      status: 'failed',
      detail: `${detail}: speech and designs are refused with 503 until there are more.`,
    };
  if (used < UPSTREAM_WARNING_SHARE * limit) return { status: 'ok', detail: `${detail}.` };
  return { status: 'warning', detail: `${detail}: it runs out soon.` };
}

/** The processes of which a heartbeat has arrived lately. */
export interface HeardProcesses {
  apis: number;
  workers: number;
  /** Workers that take nothing new, because staff say so. */
  quiet: number;
  /** Since the last heartbeat of any worker; null when none is known. */
  silentSecs: number | null;
}

/** Whether a worker takes what apis enqueue. Where no api runs either, the installation is stopped. */
export function evaluateWorkers({ apis, workers, quiet, silentSecs }: HeardProcesses): Finding {
  if (workers === 0 && apis === 0) return { status: 'ok', detail: 'No api and no worker runs.' };
  if (workers === 0) {
    const last = silentSecs === null ? '' : `; the last one was heard ${durationText(silentSecs)} ago`;
    return {
      status: 'failed',
      detail: `No worker is heard${last}: reviews, webhooks, alerts and undo timers wait. Start one: "greenroom worker", with the same DATABASE_URL, APP_SECRET and REDIS_URL.`,
    };
  }
  if (quiet === workers)
    return {
      status: 'warning',
      detail: `Every worker (${workers}) is quiet by an order of staff and takes nothing new: "greenroom workers resume ID".`,
    };
  return {
    status: 'ok',
    detail: `Workers that are heard: ${workers}${quiet > 0 ? `, quiet: ${quiet}` : ''}.`,
  };
}

/** A queue that staff have paused. */
export interface PausedQueue {
  queue: string;
  since: Date;
  by: string | null;
  reason: string | null;
}

/** Which queues are paused, and since when: a pause that was left behind keeps customers waiting. */
export function evaluatePauses(paused: readonly PausedQueue[]): Finding {
  if (paused.length === 0) return { status: 'ok', detail: 'No queue is paused.' };
  const described = paused.map(
    ({ queue, since, by, reason }) =>
      `${queue} is paused since ${minuteText(since)}${by === null ? '' : ` by ${by}`}${reason === null ? '' : ` (${reason})`}`,
  );
  return { status: 'warning', detail: `${described.join('; ')}. Resume it under Queues in the console.` };
}

/** A certificate by which something is reached or trusted. */
export interface CertificateEnd {
  /** The variable that it is from, or the server that shows it. */
  of: string;
  endsAt: Date;
}

const CERTIFICATE_WARNING_DAYS = 21;
const CERTIFICATE_FAILURE_DAYS = 3;

/** Whether a certificate ends soon. */
export function evaluateCertificates(ends: readonly CertificateEnd[], now: Date): Finding {
  if (ends.length === 0) return { status: 'ok', detail: 'Nothing that is configured has a certificate.' };
  const days = (end: CertificateEnd) => (end.endsAt.getTime() - now.getTime()) / DAY_MS;
  const describe = (end: CertificateEnd) =>
    `that of ${end.of} ${days(end) < 0 ? 'ended' : 'ends'} on ${end.endsAt.toISOString().slice(0, 10)}`;
  const sorted = ends.toSorted((one, other) => one.endsAt.getTime() - other.endsAt.getTime());
  const short = sorted.filter((end) => days(end) < CERTIFICATE_WARNING_DAYS);
  if (short.length === 0)
    return { status: 'ok', detail: `Certificates: ${sorted.length}; first ${describe(sorted[0]!)}.` };
  return {
    status: days(short[0]!) < CERTIFICATE_FAILURE_DAYS ? 'failed' : 'warning',
    detail: `Of the certificates ${short.map(describe).join('; ')}. Replace it there, and where a variable holds it, start the processes again.`,
  };
}
