import { painted } from './painted';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

it('waits until after the frame', async () => {
  let draw = (): void => undefined;
  let isPainted = false;
  void painted((frame) => (draw = frame)).then(() => (isPainted = true));
  await jest.advanceTimersByTimeAsync(100);
  expect(isPainted).toBe(false);
  draw();
  await jest.advanceTimersByTimeAsync(1);
  expect(isPainted).toBe(true);
});

it('waits a quarter of a second at most in a window that draws no frame, since it was hidden', async () => {
  let isPainted = false;
  void painted(() => undefined).then(() => (isPainted = true));
  await jest.advanceTimersByTimeAsync(249);
  expect(isPainted).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(isPainted).toBe(true);
});
