import { impossibleRow, caseRecoveryMs, lost, tableHead, tableRow, type CaseRun } from './case-report';
import { CASES, type FaultCase } from './cases';
import { FAULT_OPTIONS, pause, seededRandom } from './fault-options';
import { startGreenroom } from './greenroom';
import { inspect } from './inspection';
import { Machine } from './machine';
import { startNaive } from './naive/naive';
import { MAY } from './privileges';
import { besiege, type StormReport } from './storm';
import type { Subject } from './subject';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const { isLong, seed } = FAULT_OPTIONS;
/** What the whole suite has time for. */
const SHORT = [7, 10];
const PREVIEWS = isLong ? 60 : 40;
const WORKERS = 2;
/** Instead of the sweeper's usual 45 s. */
const SWEEP_AFTER_SECS = isLong ? 10 : 4;
const DISK_MB = MAY.fillDisks ? 400 : undefined;
/** Until the earlier reviews continue, sweeper included. */
const RECOVERY_MS = 30_000;
const STORED_LOG = 4_000;
/** With the lease of a relay that was killed. */
const DRAIN_MS = 75_000;
/** Where no request may fail, a busy machine is not given more than it can answer: only the fault is to be seen. */
const MOST_AT_ONCE = 6;
/** Until a key that was disabled is refused. */
const REVOCATION_MS = 3_000;

jest.setTimeout(300_000);

const rows: string[] = [];
const cases = CASES.filter(({ number }) => isLong || SHORT.includes(number));
let machine: Machine;

beforeAll(async () => {
  machine = await Machine.start({ networks: true, diskMb: DISK_MB });
});
afterEach(() => machine.stopNodes());
afterAll(async () => {
  process.stdout.write(`${tableHead()}${rows.join('')}`);
  await machine.stop();
});

function runOf(faultCase: FaultCase, subject: string): CaseRun {
  return { faultCase, subject, backend: __QUEUE_BACKEND__, seed };
}

function note(row: string): void {
  rows.push(row);
  process.stdout.write(row);
}

/** Strikes at a moment in the first half of the load. */
async function live(
  { number, strike, everyMs, isUnnoticed }: FaultCase,
  subject: Subject & { previewIds: string[] },
): Promise<StormReport> {
  const random = seededRandom(seed * 100 + number);
  const load = {
    previewIds: subject.previewIds,
    everyMs: everyMs ?? 40 + 40 * random(),
    mostAtOnce: isUnnoticed ? MOST_AT_ONCE : undefined,
    drainMs: DRAIN_MS,
  };
  return besiege(subject, load, async () => {
    await pause(load.everyMs * load.previewIds.length * (0.2 + 0.3 * random()));
    await strike({ machine, subject, random });
    return [{ name: `${number}`, atMs: Date.now() }];
  });
}

const possible = cases.filter(({ impossible }) => !impossible);

it.each(possible)('$number: $what: every voice is reviewed once', async (faultCase) => {
  const greenroom = await startGreenroom(machine, {
    workers: WORKERS,
    previews: PREVIEWS,
    sweepAfterSecs: SWEEP_AFTER_SECS,
    charges: true,
    ...faultCase.options,
  });
  const report = await live(faultCase, greenroom).catch((error: Error) => {
    const { api, workers } = greenroom;
    const logs = [api, ...workers].map(({ log }) => log.slice(-STORED_LOG));
    throw new Error([error.message, ...logs].join('\n'));
  });
  note(tableRow(runOf(faultCase, 'Greenroom'), report));
  const { sent, acknowledged, answers, hung, unexpected, missing, unreviewed, repeated } = report;
  const { internalErrors } = greenroom.api;
  expect({ missing, unreviewed, repeated }).toEqual({ missing: [], unreviewed: [], repeated: [] });
  expect(acknowledged).toBe(sent);
  expect({ hung, unexpected, internalErrors }).toEqual({ hung: 0, unexpected: [], internalErrors: [] });
  const noticed = faultCase.isUnnoticed ? Object.keys(answers).filter((status) => status !== '200') : [];
  expect({ noticed, log: noticed.length > 0 ? greenroom.api.log.slice(-STORED_LOG) : '' }).toEqual({
    noticed: [],
    log: '',
  });
  expect(caseRecoveryMs(report)).toBeLessThan(RECOVERY_MS);
  const { charged, breaches, chainIsWhole, revokedMs } = await inspect(machine, greenroom);
  expect({ charged, breaches, chainIsWhole }).toEqual({ charged: sent, breaches: [], chainIsWhole: true });
  expect(revokedMs).toBeLessThan(REVOCATION_MS);
});

it.each(possible.filter(({ isControlled }) => isControlled))(
  '$number: $what: the naive version, which saves and then adds, loses voices',
  async (faultCase) => {
    const naive = await startNaive(machine, { workers: WORKERS, previews: PREVIEWS });
    const report = await live(faultCase, naive);
    note(tableRow(runOf(faultCase, 'save, then add'), report));
    expect(lost(report)).toBeGreaterThan(0);
  },
);

for (const faultCase of cases.filter(({ impossible }) => impossible))
  rows.push(impossibleRow(runOf(faultCase, 'Greenroom')));
