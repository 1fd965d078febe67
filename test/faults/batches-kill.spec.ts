import { randomInt } from 'node:crypto';
import { Stack } from '../support/stack';
import { killDuringStorm } from './ledger-kill';

const CHARGES = 5_000;

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

it.each([randomInt(1, CHARGES), randomInt(1, CHARGES)])(
  `${CHARGES} charges in batches of 100 by 32 callers, killed with -9 after %i: none over, none lost, none twice`,
  (killAfter) => killDuringStorm(stack, killAfter, { credits: CHARGES, callers: 32, batch: 100 }),
);
