import { randomInt } from 'node:crypto';
import { ApiProcess } from '../support/api-process';
import { CREDITS, storm } from '../support/ledger-storm';
import { Stack } from '../support/stack';

const ROUNDS = 10;

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

it.each(Array.from({ length: ROUNDS }, () => randomInt(1, CREDITS)))(
  'killed with -9 after %i responses: never over, every acknowledged charge in the ledger, balances agree',
  async (killAfter) => {
    const processes = await Promise.all([ApiProcess.start(stack.config), ApiProcess.start(stack.config)]);
    try {
      const { acknowledged, unanswered, inLedger, afterRetries, used, reconciliation } = await storm(
        stack,
        processes,
        killAfter,
      );
      const silent = [...inLedger].filter((id) => unanswered.includes(id)).length;
      process.stdout.write(
        `killed after ${killAfter} responses: ${acknowledged.length} acknowledged, ${inLedger.size} in the ledger ` +
          `(${silent} of them without a response), ${unanswered.length} without a response, ${afterRetries.size} after sending those again\n`,
      );
      expect(acknowledged.filter((id) => !inLedger.has(id))).toEqual([]);
      expect(inLedger.size).toBeLessThanOrEqual(CREDITS);
      expect([afterRetries.size, used, reconciliation.breaches]).toEqual([CREDITS, CREDITS, []]);
    } finally {
      await Promise.all(processes.map((each) => each.stop()));
    }
  },
);
