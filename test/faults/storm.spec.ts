import { FAULT_OPTIONS } from './fault-options';
import { startGreenroom } from './greenroom';
import { Machine } from './machine';
import { startNaive } from './naive/naive';
import { storm, type StormPlan } from './storm';
import { describeStorm } from './storm-report';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const { isLong, stormMs, seed } = FAULT_OPTIONS;
const PLAN: StormPlan = {
  seed,
  stormMs,
  everyMs: isLong ? 100 : 50,
  gapMs: isLong ? [1_000, 6_000] : [200, 800],
};
/** More than are requested: the storm ends the load. */
const PREVIEWS = Math.ceil((stormMs / PLAN.everyMs) * 1.2) + 100;

jest.setTimeout(stormMs + 300_000);
// At length, a storm has one try.
if (isLong) jest.retryTimes(0);

describe(`a storm of faults on ${__QUEUE_BACKEND__}`, () => {
  let machine: Machine;
  beforeEach(async () => {
    machine = await Machine.start();
  });
  afterEach(() => machine.stop());

  it('leaves every acknowledged voice reviewed exactly once in effect, and nothing behind', async () => {
    const greenroom = await startGreenroom(machine, {
      workers: 2,
      previews: PREVIEWS,
      // The whole suite does not wait for the sweeper's usual patience.
      sweepAfterSecs: isLong ? undefined : 4,
    });
    const report = await storm(machine, greenroom, greenroom.previewIds, PLAN);
    process.stdout.write(describeStorm(`Greenroom on ${__QUEUE_BACKEND__}`, PLAN, report));
    expect(report.acknowledged).toBeGreaterThan(stormMs / PLAN.everyMs / 10);
    expect(report.missing).toEqual([]);
    expect(report.unreviewed).toEqual([]);
    expect(report.repeated).toEqual([]);
    // What the api logged of it is worth more than the status.
    const { internalErrors: logged } = greenroom.api;
    expect({ statuses: report.unexpected, logged }).toEqual({ statuses: [], logged: [] });
  });

  it('makes the naive version, which saves and then adds, lose voices', async () => {
    const naive = await startNaive(machine, { workers: 2, previews: PREVIEWS });
    const report = await storm(machine, naive, naive.previewIds, PLAN);
    process.stdout.write(describeStorm(`Save, then add, on ${__QUEUE_BACKEND__}`, PLAN, report));
    expect(report.unreviewed.length).toBeGreaterThan(0);
  });
});
