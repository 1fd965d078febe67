import { pause } from './fault-options';
import type { Machine } from './machine';
import type { Subject } from './subject';

/** Longer than a job's lock of 10 s and the check for stalled jobs that follows it. */
const FROZEN_MS = 16_000;
const RELAY_WAIT_MS = 3_000;

export interface Scene {
  machine: Machine;
  subject: Subject;
  random: () => number;
}

/** One thing that goes wrong. Resolves when it is over. */
export interface Fault {
  name: string;
  strike(scene: Scene): Promise<void>;
  /** It takes this long, and continues while the next faults strike. */
  takesMs?: number;
}

const pick = <T>(items: readonly T[], random: () => number) => items[Math.floor(random() * items.length)]!;

const COMMON: Fault[] = [
  {
    name: 'worker killed',
    strike: async ({ subject, random }) => pick(subject.workers, random).signal('SIGKILL'),
  },
  { name: 'relay killed between claim and delivery', strike: killRelay },
  { name: 'api killed', strike: async ({ subject }) => subject.api.signal('SIGKILL') },
  {
    name: 'worker frozen longer than its lock',
    takesMs: FROZEN_MS,
    strike: ({ subject, random }) => pick(subject.workers, random).freeze(FROZEN_MS),
  },
  { name: 'PostgreSQL restarted (immediate)', strike: ({ machine }) => restartPostgres(machine, 'SIGQUIT') },
  { name: 'PostgreSQL restarted (fast)', strike: ({ machine }) => restartPostgres(machine, 'SIGINT') },
  { name: 'jobs delivered twice', strike: deliverTwice },
];

const OF_BACKEND: Record<'postgres' | 'redis', Fault[]> = {
  redis: [
    {
      name: 'Redis killed',
      strike: async ({ machine }) => machine.redis!.process.signal('SIGKILL'),
    },
    {
      name: 'Redis frozen',
      strike: ({ machine, random }) => machine.redis!.process.freeze(2_000 + 6_000 * random()),
    },
    { name: 'Redis wiped', strike: ({ machine }) => machine.redis!.wipe() },
  ],
  postgres: [{ name: 'queue emptied', strike: emptyQueue }],
};

/** Every fault of a backend. */
export function faultsOf(backend: 'postgres' | 'redis'): Fault[] {
  return [...COMMON, ...OF_BACKEND[backend]];
}

/** Kills every worker at a moment when a message is claimed and may or may not be in the queue already. */
async function killRelay({ subject }: Scene): Promise<void> {
  const deadline = Date.now() + RELAY_WAIT_MS;
  while (Date.now() < deadline && !(await subject.isRelaying())) await pause(1);
  for (const worker of subject.workers) worker.signal('SIGKILL');
}

export async function restartPostgres(
  { postgres, dataSource }: Machine,
  signal: NodeJS.Signals,
): Promise<void> {
  process.kill(postgres.pid!, signal);
  for (;;) {
    await pause(100);
    const isUp = await dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    );
    if (isUp) return;
  }
}

/** Of PostgreSQL. Not obliterate(): broken off by another fault, it would leave the queue paused. */
export async function emptyQueue({ machine, subject }: Scene): Promise<void> {
  await machine.dataSource.query('DELETE FROM bullmq.job WHERE queue = $1', [subject.queue.name]);
}

/** Adds jobs that wait or run a second time, under other ids: to the queue they are new. */
export async function deliverTwice({ subject }: Scene): Promise<void> {
  const jobs = await subject.queue.getJobs(['active', 'waiting', 'completed'], 0, 9);
  const copies = jobs
    .filter((job) => job !== undefined)
    .map(({ id, name, data }) => ({ name, data: data as unknown, opts: { jobId: `${id}-again` } }));
  await Promise.all(copies.map(({ name, data, opts }) => subject.queue.add(name, data, opts)));
}
