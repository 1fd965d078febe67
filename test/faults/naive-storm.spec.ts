import { Machine } from './machine';
import { startNaive } from './naive/naive';
import { storm } from './storm';
import { PLAN, PREVIEWS, STORM_TIMEOUT_MS } from './storm-plan';
import { describeStorm } from './storm-report';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

jest.setTimeout(STORM_TIMEOUT_MS);

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.start();
});
afterAll(() => machine.stop());

it('the same storm makes the naive version, which saves and then adds, lose voices', async () => {
  const naive = await startNaive(machine, { workers: 2, previews: PREVIEWS });
  const report = await storm(machine, naive, naive.previewIds, PLAN);
  process.stdout.write(describeStorm(`Save, then add, on ${__QUEUE_BACKEND__}`, PLAN, report));
  expect(report.unreviewed.length).toBeGreaterThan(0);
});
