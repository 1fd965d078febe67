import { FAULT_OPTIONS } from './fault-options';
import { startGreenroom } from './greenroom';
import { Machine } from './machine';
import { storm } from './storm';
import { PLAN, PREVIEWS, STORM_TIMEOUT_MS } from './storm-plan';
import { describeStorm } from './storm-report';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

jest.setTimeout(STORM_TIMEOUT_MS);

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
      sweepAfterSecs: FAULT_OPTIONS.isLong ? undefined : 4,
    });
    const report = await storm(machine, greenroom, greenroom.previewIds, PLAN);
    process.stdout.write(describeStorm(`Greenroom on ${__QUEUE_BACKEND__}`, PLAN, report));
    expect(report.acknowledged).toBeGreaterThan(PLAN.stormMs / PLAN.everyMs / 10);
    expect(report.missing).toEqual([]);
    expect(report.unreviewed).toEqual([]);
    expect(report.repeated).toEqual([]);
    // What the api logged of it is worth more than the status.
    const { internalErrors: logged } = greenroom.api;
    expect({ statuses: report.unexpected, logged }).toEqual({ statuses: [], logged: [] });
  });
});
