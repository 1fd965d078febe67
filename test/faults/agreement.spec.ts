import { checkAgreement } from '../support/explain-agreement';
import { Stack } from '../support/stack';
import { FAULT_OPTIONS } from './fault-options';

const COMBINATIONS = 5_000;

jest.setTimeout(600_000);

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
});

afterAll(async () => {
  await stack.stop();
});

it(`explain and the real request agree on ${COMBINATIONS} random combinations`, async () => {
  const { seed } = FAULT_OPTIONS;
  const { combinations, decidedBy } = await checkAgreement(stack, COMBINATIONS, seed);
  process.stdout.write(
    `explain and the response agree on ${combinations} combinations, seed ${seed}; decided by ${JSON.stringify(decidedBy)}\n`,
  );
  expect(Object.values(decidedBy).reduce((sum, count) => sum + count)).toBe(COMBINATIONS);
  // Every gate but the secret itself has had its say.
  const gates = [
    'route',
    'state',
    'account',
    'ip',
    'scope',
    'limit',
    'concurrency',
    'tier',
    'credits',
    'none',
  ];
  expect(gates.filter((gate) => !decidedBy[gate])).toEqual([]);
});
