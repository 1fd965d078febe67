import { Logger } from '@nestjs/common';
import { doAll, Loop, type Next } from './loop';

/** A round of work that ends when the test says so. */
function manualRounds() {
  const open: ((end: Next | Error) => void)[] = [];
  const waiting: (() => void)[] = [];
  const round = () =>
    new Promise<Next>((resolve, reject) => {
      open.push((end) => (end instanceof Error ? reject(end) : resolve(end)));
      waiting.shift()?.();
    });
  const nextRound = async () => {
    if (open.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    return open.shift()!;
  };
  return { round, nextRound, openRounds: () => open.length };
}

describe('doAll', () => {
  it('does everything in order, and fails with the first failure', async () => {
    const done: string[] = [];
    const resource =
      (name: string, fails = false) =>
      async () => {
        done.push(name);
        if (fails) throw new Error(name);
        return name;
      };
    await expect(doAll([resource('a'), resource('b')])).resolves.toEqual(['a', 'b']);
    await expect(doAll([resource('c', true), resource('d', true), resource('e')])).rejects.toThrow('c');
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe('Loop', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('never has two rounds at once, and begins the next at once when there is more', async () => {
    const { round, nextRound, openRounds } = manualRounds();
    const loop = new Loop('Test', round, 60_000);
    loop.start();
    for (let count = 0; count < 5; count += 1) {
      const end = await nextRound();
      expect(openRounds()).toBe(0);
      end('more');
    }
    const last = await nextRound();
    const stopped = loop.stop();
    last('idle');
    await stopped;
  });

  it('continues after a round that failed', async () => {
    const { round, nextRound } = manualRounds();
    const loop = new Loop('Test', round, 1);
    loop.start();
    (await nextRound())(new Error('the database is away'));
    const next = await nextRound();
    const stopped = loop.stop();
    next('idle');
    await stopped;
  });

  it('waits for the running round when it is stopped, and begins no other', async () => {
    const { round, nextRound, openRounds } = manualRounds();
    const loop = new Loop('Test', round, 1);
    loop.start();
    const end = await nextRound();
    let isStopped = false;
    const stopped = loop.stop().then(() => (isStopped = true));
    await Promise.resolve();
    expect(isStopped).toBe(false);
    end('more');
    await stopped;
    expect(openRounds()).toBe(0);
  });

  it('stops at once between rounds', async () => {
    const { round, nextRound } = manualRounds();
    const loop = new Loop('Test', round, 60_000);
    loop.start();
    (await nextRound())('idle');
    await loop.stop();
  });
});
