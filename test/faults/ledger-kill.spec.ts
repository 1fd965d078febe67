import { randomInt } from 'node:crypto';
import { CREDITS, END_USERS, TAG, type StormOptions } from '../support/ledger-storm';
import { killDuringStorm } from './ledger-kill';
import { Stack } from '../support/stack';

const ROUNDS = 10;

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

const kills = () => Array.from({ length: ROUNDS }, () => randomInt(1, CREDITS));
const BUDGETS = [
  { amount: CREDITS + 20, window: 'month' as const },
  { amount: CREDITS },
  { amount: CREDITS + 5 },
];

it.each(kills())(
  'killed with -9 after %i responses: never over, every acknowledged charge in the ledger, balances agree',
  (killAfter) => kill(killAfter, {}),
);

it.each(kills())('killed with -9 after %i responses: the same of three budgets', (killAfter) =>
  kill(killAfter, { budgets: BUDGETS }),
);

it.each(kills())(
  'killed with -9 after %i responses: the same of a budget that each end user has',
  (killAfter) => kill(killAfter, { budgets: [{ amount: CREDITS / END_USERS, perEndUser: true }] }),
);

/** Each of four budgets counts all of them, and that of each end user has no more room than there is for all. */
const MANY = 5_000;
const FOUR = [
  { amount: MANY + 20, window: 'month' as const },
  { amount: MANY, window: 'week' as const, tag: TAG },
  { amount: MANY + 5, operations: ['introspection'] },
  { amount: MANY / END_USERS, perEndUser: true },
];

it.each([32, 256])(
  `${MANY} charges by %i callers at once, killed with -9: the same of four budgets`,
  (callers) => kill(randomInt(1, MANY), { budgets: FOUR, credits: MANY, callers }),
  120_000,
);

const kill = async (killAfter: number, options: StormOptions) => killDuringStorm(stack, killAfter, options);
