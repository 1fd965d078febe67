import { setTimeout as sleep } from 'node:timers/promises';
import { listenFor } from './listening-time';

const never = new AbortController().signal;

function block(ms: number): void {
  const freeAtMs = performance.now() + ms;
  while (performance.now() < freeAtMs);
}

it('waits for as long as it is given', async () => {
  const startedAtMs = performance.now();
  await listenFor(100, never);
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(95);
});

it('counts a turn of the event loop as a tenth, however long it took', async () => {
  let isOver = false;
  const listening = listenFor(100, never).then(() => (isOver = true));
  block(200);
  await sleep(1);
  expect(isOver).toBe(false);
  await listening;
});

it('ends with its signal', async () => {
  const end = new AbortController();
  const listening = listenFor(60_000, end.signal);
  end.abort();
  await expect(listening).rejects.toThrow('aborted');
});
