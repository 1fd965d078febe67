import { gatherReads } from './gathered-reads';

/** Reads of rows `row-…`; keys that begin with `no` have none. */
function setUp(failure?: Error) {
  const statements: string[][] = [];
  const read = gatherReads(async (keys) => {
    statements.push(keys);
    if (failure) throw failure;
    return new Map(keys.filter((key) => !key.startsWith('no')).map((key) => [key, `row-${key}`]));
  });
  return { read, statements };
}

it('reads what is asked for together in one statement, each key once', async () => {
  const { read, statements } = setUp();
  expect(await Promise.all(['a', 'no', 'b', 'a'].map(read))).toEqual(['row-a', null, 'row-b', 'row-a']);
  expect(statements).toEqual([['a', 'no', 'b']]);
});

it('reads what is asked for later again', async () => {
  const { read, statements } = setUp();
  await read('a');
  const second = read('a');
  await new Promise(setImmediate);
  await Promise.all([second, read('a')]);
  expect(statements).toEqual([['a'], ['a'], ['a']]);
});

it('puts a bound on one statement, and loses nobody', async () => {
  const { read, statements } = setUp();
  const keys = Array.from({ length: 1_201 }, (_, i) => `${i}`);
  expect(await Promise.all(keys.map(read))).toEqual(keys.map((key) => `row-${key}`));
  expect(statements.map(({ length }) => length)).toEqual([500, 500, 201]);
});

it('gathers what is asked for while as many statements are under way as may be', async () => {
  const ends: (() => void)[] = [];
  const statements: string[][] = [];
  const read = gatherReads(async (keys) => {
    statements.push(keys);
    await new Promise<void>((resolve) => ends.push(resolve));
    return new Map(keys.map((key) => [key, key]));
  }, 1);
  const rows = [];
  for (const key of ['a', 'b', 'c']) {
    rows.push(read(key));
    await new Promise(setImmediate);
  }
  expect(statements).toEqual([['a']]);
  ends.pop()!();
  expect(await rows[0]).toBe('a');
  await new Promise(setImmediate);
  expect(statements).toEqual([['a'], ['b', 'c']]);
  ends.pop()!();
  expect(await Promise.all(rows)).toEqual(['a', 'b', 'c']);
});

it('rejects all reads of a statement that fails', async () => {
  const { read } = setUp(new Error('down'));
  const outcomes = await Promise.allSettled(['a', 'b', 'a'].map(read));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});
