import { totpCode, totpStepOf } from './totp';

const SECRET = Buffer.from('12345678901234567890');
const step = (secs: number) => Math.floor(secs / 30);

/** RFC 6238, appendix B: the last six of its eight digits. */
it.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('at %d s the code is %s, and is known as that of its step', (secs, code) => {
  expect(totpCode(SECRET, step(secs))).toBe(code);
  for (const away of [-30, 0, 30]) expect(totpStepOf(SECRET, code, (secs + away) * 1_000)).toBe(step(secs));
});

it.each([
  ['two steps early', '081804', -60],
  ['two steps late', '081804', 60],
  ['another code', '081805', 0],
  ['a part of it', '08180', 0],
  ['nothing', '', 0],
])('no step has %s', (_, code, away) => {
  expect(totpStepOf(SECRET, code, (1111111109 + away) * 1_000)).toBeNull();
});
