import { NOT_ATTEMPTS } from '../../libs/domain/reviews/review-state';
import { eventually } from '../support/eventually';
import { recording, ReviewBench } from '../support/review-bench';
import { WorkerProcess } from '../support/worker-process';
import { FAULT_OPTIONS } from './fault-options';

/** So many workers are stopped in order, and as many are killed. */
const STOPS = FAULT_OPTIONS.isLong ? 20 : 3;
const VOICES_PER_STOP = 4;
/** A killed worker's jobs are free after its locks, and what the queue drops is found by the sweeper. */
const RECOVERY_MS = 120_000;

let bench: ReviewBench;
let workers: WorkerProcess[] = [];

beforeAll(async () => {
  bench = await ReviewBench.start();
  workers = [new WorkerProcess(bench.config), new WorkerProcess(bench.config)];
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await bench.stop();
});

interface Counted {
  state: string;
  attempts: number;
  begun: number;
  handed_back: number;
}

async function countAttempts(): Promise<Counted[]> {
  return bench.dataSource.query<Counted[]>(
    `SELECT v.review_state AS state, v.review_attempts AS attempts,
       count(*) FILTER (WHERE e.to_state = 'running')::int AS begun,
       count(*) FILTER (WHERE e.to_state = 'retry_wait' AND e.cause = ANY ($1))::int AS handed_back
     FROM voice v JOIN review_event e ON e.voice_id = v.id GROUP BY v.id`,
    [NOT_ATTEMPTS],
  );
}

it(`${STOPS} orderly stops and ${STOPS} deaths of workers leave every voice reviewed, with attempts as counted`, async () => {
  for (let stop = 0; stop < 2 * STOPS; stop += 1) {
    const [worker] = workers.splice(0, 1);
    await worker!.waitForLog(/Ready for jobs/);
    for (let voice = 0; voice < VOICES_PER_STOP; voice += 1)
      await bench.insertVoice({ takes: 2, bytes: recording(30) });
    await worker!.waitForLog(/Review claimed/);
    workers.push(new WorkerProcess(bench.config));
    const signal = stop % 2 === 0 ? 'SIGTERM' : 'SIGKILL';
    worker!.signal(signal);
    expect(await worker!.end()).toBe(signal === 'SIGTERM' ? 0 : signal);
  }
  const counted = await eventually(
    async () => {
      const found = await countAttempts();
      expect(found.filter(({ state }) => state !== 'completed')).toEqual([]);
      return found;
    },
    { withinMs: RECOVERY_MS },
  );
  expect(counted).toHaveLength(2 * STOPS * VOICES_PER_STOP);
  // A stop gives its attempt back; a death does not, and costs the reviews that ran there one each.
  for (const { attempts, begun, handed_back } of counted) expect(attempts).toBe(begun - handed_back);
  const lost = counted.reduce((sum, { attempts }) => sum + attempts - 1, 0);
  expect(lost).toBeLessThanOrEqual(STOPS * bench.config.workerConcurrency);
}, 900_000);
