import { Stack } from '../support/stack';
import { DatabaseState } from './database-state';
import { BATCH, describeReport, emptyReport, fuzz, type Finding } from './fuzz';
import { invitePeople } from './fuzz-world';
import { FUZZ_OPTIONS } from './fuzz-options';

const { count, seed, minutes, isLong } = FUZZ_OPTIONS;

jest.setTimeout(minutes * 60_000 + 120_000);

/** So many requests later, staff sign in again: requests change their sign-ins. */
const PEOPLE_LAST = 10 * BATCH;

/** Share of requests that may find a part busy. */
const MOST_BUSY = 0.002;

const describeFindings = ({ findings }: { findings: Finding[] }) =>
  [
    `${findings.length} findings`,
    ...findings.map(({ operation, problem }) => `${operation}: ${problem}`),
  ].join('\n  ');

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({
    worker: false,
    env: { WEBHOOK_PRIVATE_NETWORKS: 'allow', LOG_LEVEL: 'error' },
  });
});

afterAll(async () => {
  await stack.stop();
});

it('random requests to every operation get responses as described, never a 5xx, and change nothing when refused', async () => {
  const report = emptyReport();
  let people = await invitePeople(stack);
  const database = await DatabaseState.watch(stack);
  const endsAt = Date.now() + minutes * 60_000;
  try {
    for (let sent = 0; sent < count && Date.now() < endsAt; sent += BATCH) {
      if (sent > 0 && sent % PEOPLE_LAST === 0) people = await invitePeople(stack, people.previewId);
      const batch = { seed: seed + sent / BATCH, count: Math.min(BATCH, count - sent) };
      await fuzz(stack, people, database, batch, report);
      if (isLong) process.stdout.write(`${report.sent} sent, ${describeFindings(report)}\n`);
    }
  } finally {
    process.stdout.write(describeReport(`Fuzz, seed ${seed}`, report));
  }
  expect(report.findings.map(({ operation, problem }) => `${operation}: ${problem}`)).toEqual([]);
  // Of a machine that has too much to do.
  expect(report.statuses[503] ?? 0).toBeLessThanOrEqual(report.sent * MOST_BUSY);
  expect(report.sent).toBeGreaterThan(0);
});
