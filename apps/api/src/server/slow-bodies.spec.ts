import { BODY_WINDOW_MS, isTooSlow, MIN_BODY_BYTES_PER_SEC, type UnfinishedBody } from './slow-bodies';

const WINDOW_SECS = BODY_WINDOW_MS / 1_000;

/** Whether a body that brings so many bytes in each second is refused within some windows. */
function isRefused(
  bytesIn: (second: number) => number,
  isWaitingForUs = (_second: number) => false,
): boolean {
  let bytesRead = 0;
  let second = 0;
  const body: UnfinishedBody = {
    since: { ms: 0, bytes: 0 },
    get bytesRead() {
      return bytesRead;
    },
    get isWaitingForUs() {
      return isWaitingForUs(second);
    },
  };
  for (second = 1; second <= 20 * WINDOW_SECS; second += 1) {
    bytesRead += bytesIn(second);
    if (isTooSlow(body, second * 1_000)) return true;
  }
  return false;
}

it.each([
  ['the least rate', () => MIN_BODY_BYTES_PER_SEC, false],
  ['160 kB/s', () => 160_000, false],
  ['half the least rate', () => MIN_BODY_BYTES_PER_SEC / 2, true],
  ['a byte a second', () => 1, true],
  ['a megabyte at once and then nothing', (second: number) => (second === 1 ? 1_000_000 : 0), true],
  [
    'bursts with pauses shorter than the window',
    (second: number) => (second % (WINDOW_SECS - 5) === 0 ? 300_000 : 0),
    false,
  ],
])('%s', (_, bytesIn, refused) => {
  expect(isRefused(bytesIn)).toBe(refused);
});

it('the time in which the api takes nothing does not count', () => {
  const stalled = (second: number) => second < 3 * WINDOW_SECS;
  expect(isRefused((second) => (stalled(second) ? 0 : MIN_BODY_BYTES_PER_SEC), stalled)).toBe(false);
  expect(isRefused(() => 0, stalled)).toBe(true);
});
