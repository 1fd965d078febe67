import { randomBytes } from 'node:crypto';
import { eventually } from '../support/eventually';
import { recording } from '../support/review-bench';
import { beforeRelayDeletes, deadlock, freezePostgres, untilReviewing, whileLocked } from './failpoints';
import { FAULT_OPTIONS, pause } from './fault-options';
import { deliverTwice, emptyQueue, restartPostgres, type Scene } from './faults';
import type { GreenroomOptions } from './greenroom';
import { MAY } from './privileges';
import { faultsUntil } from './storm';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

/** One of the faults that are to be survived, by the number it has in the plan of tests. */
export interface FaultCase {
  number: number;
  what: string;
  /** Resolves when the fault is over and everything it broke is repaired or being restarted. */
  strike: (scene: Scene) => Promise<void>;
  /** Why it cannot be had here. */
  impossible?: string;
  /** Redis is not on the path of a request: every one succeeds all the while. */
  isUnnoticed?: boolean;
  /** The naive version loses voices here. */
  isControlled?: boolean;
  options?: Partial<GreenroomOptions>;
  everyMs?: number;
}

const { isLong } = FAULT_OPTIONS;
const onRedis = __QUEUE_BACKEND__ === 'redis';
const NEEDS_REDIS = onRedis ? undefined : 'no Redis: the queue is in PostgreSQL';
const NEEDS_DISKS = MAY.fillDisks ? undefined : 'mounting a small disk is not permitted';
const NEEDS_LINKS = MAY.cutLinks ? undefined : 'network namespaces are not permitted';

const AWAY_MS = 8_000;
const FULL_MS = 4_000;
const HOUR_MS = 3_600_000;
/** Longer than the lock of a job and the check for stalled jobs that follows it. */
const PAST_LOCK_MS = 16_000;
const DELAY_MS = 100;

export const CASES: FaultCase[] = [
  { number: 1, what: 'api killed in the middle of requests, 4 times', strike: killApi },
  { number: 2, what: 'workers killed at a review: begun, before its verdict, any time', strike: killWorkers },
  {
    number: 3,
    what: 'a worker frozen for 16 s at a review, and resumed',
    strike: freezeWorker,
  },
  {
    number: 4,
    what: 'two relays, and every job delivered twice',
    strike: deliverAllTwice,
  },
  {
    number: 5,
    what: 'relays killed between adding jobs and deleting their messages',
    strike: ({ machine, subject }) =>
      beforeRelayDeletes(machine, () => subject.workers.forEach((worker) => worker.signal('SIGKILL'))),
  },
  {
    number: 6,
    what: `Redis killed, back after 1 s${isLong ? ', and after 20 s' : ''}`,
    impossible: NEEDS_REDIS,
    strike: killRedis,
    isUnnoticed: true,
    isControlled: true,
  },
  {
    number: 7,
    what: onRedis ? 'Redis killed, back with an empty disk' : 'every job deleted from the queue',
    strike: loseQueue,
    isUnnoticed: true,
    isControlled: true,
  },
  {
    number: 8,
    what: 'Redis frozen for 8 s, then every connection to it half-open',
    impossible: NEEDS_REDIS,
    strike: freezeRedis,
    isUnnoticed: true,
  },
  {
    number: 9,
    what: 'Redis without memory, then without disk',
    impossible: NEEDS_REDIS ?? NEEDS_DISKS,
    strike: fillRedis,
    isUnnoticed: true,
    isControlled: true,
  },
  { number: 10, what: 'PostgreSQL restarted, immediate and fast', strike: restartTwice },
  {
    number: 11,
    what: 'PostgreSQL frozen for 8 s, then every connection to it half-open',
    strike: freezeDatabase,
  },
  {
    number: 12,
    what: 'disk of PostgreSQL full for 4 s',
    impossible: NEEDS_DISKS,
    strike: ({ machine }) => fillFor(machine.postgres.folder, FULL_MS),
  },
  { number: 13, what: 'tables locked until the pool is empty, then deadlocks', strike: lockUp },
  { number: 14, what: 'round trips up to 200 ms longer, links reset twice', strike: slowDown },
  {
    number: 15,
    what: 'cable cut for 8 s: workers from PostgreSQL, then api and workers from Redis',
    impossible: NEEDS_LINKS,
    strike: cutLinks,
  },
  {
    number: 16,
    what: 'clocks jump by an hour: api and one worker ahead, the other back',
    strike: jumpClocks,
    options: { clockJumpMs: HOUR_MS },
  },
  {
    number: 17,
    what: 'api stopped in order under load, twice',
    strike: async ({ subject }) => {
      await subject.api.restart();
      await subject.api.restart();
    },
  },
  {
    number: 18,
    what: 'workers stopped in order while their reviews take 3 s more',
    strike: stopWorkers,
  },
  { number: 19, what: 'api and workers started before PostgreSQL and Redis', strike: startFirst },
  {
    number: 20,
    what: 'every fifth recording hostile bytes',
    strike: async () => undefined,
    options: { recordings: hostileRecordings() },
  },
  {
    number: 21,
    what: 'many voices queued, and then the workers start',
    strike: ({ subject }) => allOf(subject.workers.map((worker) => worker.down(AWAY_MS))),
    everyMs: 25,
    options: { previews: 200 },
  },
  {
    number: 22,
    what: 'every fault of the storm, mixed, for 20 s',
    strike: async (scene) => {
      await faultsUntil(scene, { stormMs: 20_000, gapMs: [500, 1_500] });
    },
  },
];

async function allOf(works: Promise<unknown>[]): Promise<void> {
  await Promise.all(works);
}

async function killApi({ subject, random }: Scene): Promise<void> {
  for (let times = 0; times < 4; times += 1) {
    await pause(500 * random());
    await subject.api.restart('SIGKILL');
  }
}

async function killWorkers({ machine, subject, random }: Scene): Promise<void> {
  const killAll = () => allOf(subject.workers.map((worker) => worker.restart('SIGKILL')));
  await untilReviewing(machine);
  await killAll();
  await whileLocked(machine, ['review'], async () => {
    await untilReviewing(machine);
    await pause(300);
    for (const worker of subject.workers) worker.signal('SIGKILL');
  });
  await pause(3_000 * random());
  await killAll();
}

async function freezeWorker({ machine, subject, random }: Scene): Promise<void> {
  await untilReviewing(machine);
  await subject.workers[Math.floor(random() * subject.workers.length)]!.freeze(PAST_LOCK_MS);
}

async function deliverAllTwice(scene: Scene): Promise<void> {
  for (let times = 0; times < 8; times += 1) {
    await deliverTwice(scene);
    await pause(200);
  }
}

async function killRedis({ machine }: Scene): Promise<void> {
  const { process } = machine.redis!;
  await process.down(1_000);
  if (!isLong) return;
  await pause(500);
  await process.down(20_000);
}

async function loseQueue(scene: Scene): Promise<void> {
  const { machine, subject } = scene;
  // What is lost must be in the queue and not with a worker already.
  await subject.queue.pause();
  await pause(1_000);
  if (machine.redis) await machine.redis.lose();
  else await emptyQueue(scene);
  await eventually(() => subject.queue.resume());
}

async function freezeRedis({ machine }: Scene): Promise<void> {
  await machine.redis!.process.freeze(AWAY_MS);
  for (const network of Object.values(machine.networks!)) network.proxyTo('queue').forget();
}

async function fillRedis({ machine }: Scene): Promise<void> {
  const redis = machine.redis!;
  await redis.limitMemory(1);
  await pause(FULL_MS);
  await redis.limitMemory(0);
  await fillFor(redis.folder, FULL_MS);
}

async function fillFor(disk: { fill(): void; free(): void }, ms: number): Promise<void> {
  disk.fill();
  try {
    await pause(ms);
  } finally {
    disk.free();
  }
}

async function restartTwice({ machine }: Scene): Promise<void> {
  await restartPostgres(machine, 'SIGQUIT');
  await pause(500);
  await restartPostgres(machine, 'SIGINT');
}

async function freezeDatabase({ machine }: Scene): Promise<void> {
  await freezePostgres(machine, AWAY_MS);
  for (const network of Object.values(machine.networks!)) network.proxyTo('database').forget();
}

/** Longer than a statement may take. */
async function lockUp({ machine }: Scene): Promise<void> {
  await whileLocked(machine, ['voice'], () => pause(AWAY_MS));
  await deadlock(machine);
  await deadlock(machine);
}

async function slowDown({ machine, random }: Scene): Promise<void> {
  const proxies = Object.values(machine.networks!).flatMap((network) => network.proxies);
  for (const proxy of proxies) proxy.delayMs = () => DELAY_MS * random();
  try {
    for (let times = 0; times < 2; times += 1) {
      await pause(3_000 + 2_000 * random());
      for (const proxy of proxies) proxy.reset();
    }
  } finally {
    for (const proxy of proxies) proxy.delayMs = () => 0;
  }
}

async function cutLinks({ machine }: Scene): Promise<void> {
  const { api, workers } = machine.networks!;
  await workers.cut('database', AWAY_MS);
  if (machine.redis) await allOf([api.cut('queue', AWAY_MS), workers.cut('queue', AWAY_MS)]);
}

async function jumpClocks({ subject }: Scene): Promise<void> {
  for (const node of [subject.api, ...subject.workers]) node.signal('SIGUSR2');
}

async function stopWorkers({ machine, subject }: Scene): Promise<void> {
  let stopped: Promise<void>;
  await whileLocked(machine, ['review'], async () => {
    await untilReviewing(machine);
    stopped = allOf(subject.workers.map((worker) => worker.restart()));
    await pause(3_000);
  });
  await stopped!;
}

async function startFirst({ machine, subject }: Scene): Promise<void> {
  const proxies = Object.values(machine.networks!).flatMap((network) => network.proxies);
  for (const proxy of proxies) proxy.refuse(true);
  const started = allOf([subject.api, ...subject.workers].map((node) => node.restart('SIGKILL')));
  await pause(AWAY_MS / 2);
  for (const proxy of proxies) proxy.refuse(false);
  await started;
}

/** What a decoder may be given instead of speech. */
function hostileRecordings(): Buffer[] {
  const longer = recording();
  longer.writeUInt32LE(0xffff_fff0, 40);
  const manyChannels = recording();
  manyChannels.writeUInt16LE(65_535, 22);
  const cut = recording().subarray(0, 30);
  const mp3 = Buffer.concat([Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'), randomBytes(5_000)]);
  const hostile = [longer, manyChannels, cut, mp3, randomBytes(20_000)];
  return hostile.flatMap((bytes) => [bytes, ...Array.from({ length: 4 }, () => recording())]);
}
