import { passwordProblem } from './password-rules';

const OWNER = { email: 'mlind@example.com', name: 'María José Lindqvist' };
const COMMON = new Set(['password', 'administrator', '1q2w3e4r5t6y', 'iloveyou', 'monkey', '123456']);

describe('passwordProblem', () => {
  it.each([
    'three lamps over the stage',
    'xkcd-Ünïcode-längre',
    '👩‍🚀 rocket to the moon',
    'a1b2c3d4e5f6',
    'x'.repeat(20) + 'abcde',
    '  spaces count, too  ',
  ])('accepts %s', (password) => {
    expect(passwordProblem(password, OWNER, COMMON)).toBeNull();
  });

  it.each([
    ['', /shorter than 12/],
    ['eleven char', /shorter than 12/],
    ['👍👍👍👍👍👍', /shorter than 12/],
    [`${'ab3 '.repeat(50)}x`, /longer than 200/],
    ['aaaaaaaaaaaaaaaa', /first that are guessed/],
    ['abcabcabcabcabc', /first that are guessed/],
    ['Password 1234', /first that are guessed/],
    ['1Q2W3E4R5T6Y', /first that are guessed/],
    ['passwordpassword', /first that are guessed/],
    ['12-Monkey-Monkey-34', /first that are guessed/],
    ['I love you, 2026!', /first that are guessed/],
    ['1029384756102', /first that are guessed/],
    ['correct horse battery staple', /first that are guessed/],
    ['mlind@example.com', /derived from/],
    ['maría-lindqvist-26', /derived from/],
    ['José María 2026', /derived from/],
    ['LINDQVISTMARÍA1', /derived from/],
    ['Greenroom-2026', /derived from/],
  ])('refuses %j', (password, expected) => {
    expect(passwordProblem(password, OWNER, COMMON)).toMatch(expected);
  });
});
