import { setTimeout as sleep } from 'node:timers/promises';
import { inListeningTime } from './listening-time';

const never = new Promise<never>(() => undefined);
const late = () => 'late' as const;

function block(ms: number): void {
  const freeAtMs = performance.now() + ms;
  while (performance.now() < freeAtMs);
}

it('waits for as long as it is given', async () => {
  const startedAtMs = performance.now();
  expect(await inListeningTime(never, 100, late)).toBe('late');
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(95);
});

it('counts a turn of the event loop as a tenth, however long it took', async () => {
  let isOver = false;
  const waiting = inListeningTime(never, 100, () => (isOver = true));
  block(200);
  await sleep(1);
  expect(isOver).toBe(false);
  await waiting;
});

it('has what the promise resolves to in time, and nothing happens later', async () => {
  const afterwards = jest.fn();
  expect(await inListeningTime(sleep(10, 'in time'), 50, afterwards)).toBe('in time');
  await sleep(100);
  expect(afterwards).not.toHaveBeenCalled();
});

it('fails as the promise does, or as what is called when it is late', async () => {
  await expect(inListeningTime(Promise.reject(new Error('refused')), 50, late)).rejects.toThrow('refused');
  const refuse = () => {
    throw new Error('too late');
  };
  await expect(inListeningTime(never, 50, refuse)).rejects.toThrow('too late');
});
