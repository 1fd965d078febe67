import { BackOff } from './back-off';

describe('BackOff', () => {
  it('doubles with every failure in a row, up to a limit', () => {
    const backOff = new BackOff(500, 4_000, 30_000);
    expect([1, 2, 3, 4, 5].map(() => backOff.next(10))).toEqual([500, 1_000, 2_000, 4_000, 4_000]);
  });

  it('starts over after a process that lived long', () => {
    const backOff = new BackOff(500, 4_000, 30_000);
    backOff.next(10);
    backOff.next(10);
    expect([backOff.next(30_000), backOff.next(10)]).toEqual([500, 1_000]);
  });
});
