import { setImmediate } from 'node:timers/promises';
import { SharedReads } from './shared-reads';

it('those who ask for the same in one turn share a read, and a later one reads again', async () => {
  const shared = new SharedReads<number>();
  let reads = 0;
  const ask = (name: string) =>
    shared.read(name, async () => {
      reads += 1;
      await setImmediate();
      return reads;
    });
  expect(await Promise.all([ask('a'), ask('a'), ask('b')])).toEqual([2, 2, 2]);
  const first = ask('a');
  await setImmediate();
  expect([await ask('a'), await first]).toEqual([4, expect.any(Number)]);
  expect(reads).toBe(4);
});

it('a failure is that of all who shared it, and of no later one', async () => {
  const shared = new SharedReads<string>();
  const fail = () => shared.read('a', () => Promise.reject(new Error('away')));
  const failures = await Promise.allSettled([fail(), fail()]);
  expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await shared.read('a', async () => 'back')).toBe('back');
});
