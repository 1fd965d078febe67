import { passwordProblem } from './password-rules';

const EMAIL = 'maria.lind@example.com';

describe('passwordProblem', () => {
  it.each([
    'three lamps over the stage',
    'xkcd-Ünïcode-längre',
    '👩‍🚀 rocket to the moon',
    'a1b2c3d4e5f6',
    'x'.repeat(20) + 'abcde',
    '  spaces count, too  ',
  ])('accepts %s', (password) => {
    expect(passwordProblem(password, EMAIL)).toBeNull();
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
    ['correct horse battery staple', /first that are guessed/],
    ['maria.lind@example.com', /made of/],
    ['maria-lind-2026', /made of/],
    ['Greenroom-2026', /made of/],
  ])('refuses %j', (password, expected) => {
    expect(passwordProblem(password, EMAIL)).toMatch(expected);
  });
});
