import { creditsLeft, usableCredits } from './credits-left';

it.each([
  ['a limit', { creditLimit: 10, granted: 0, used: 4 }, 10, 6],
  ['a limit and a grant', { creditLimit: 10, granted: 90, used: 10 }, 100, 90],
  ['a grant on a limit of 0', { creditLimit: 0, granted: 5, used: 5 }, 5, 0],
  ['a limit that was lowered', { creditLimit: 10, granted: 5, used: 40 }, 15, -25],
  ['no limit', { creditLimit: null, granted: 5, used: 40 }, null, null],
])('counts %s', (_, balance, usable, left) => {
  expect([usableCredits(balance), creditsLeft(balance)]).toEqual([usable, left]);
});
